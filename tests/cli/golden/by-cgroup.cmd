# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CGROUP CONTEXT
kmalloc-top -i ../../examples/mixed.kmr --by=cgroup,context -q | sed "/^\$/,\$d"
