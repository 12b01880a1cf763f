kmalloc-top -i ../../examples/mixed.kmr --by=cgroup,context -q | sed "/^\$/,\$d"
