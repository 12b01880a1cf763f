kmalloc-top -i ../../examples/mixed.kmr --by=cache,process -q | sed "/^\$/,\$d"
