# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PROCESS CONTEXT MODULE
kmalloc-top -i ../../examples/mixed.kmr --by=process,context,module -t 3 -q | sed "/^$/,\$d"
