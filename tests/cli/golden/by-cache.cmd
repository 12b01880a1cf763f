# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CACHE PROCESS
kmalloc-top -i ../../examples/mixed.kmr --by=cache,process -t 6 -q | sed "/^\$/,\$d"
