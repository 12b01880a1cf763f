# shows: Dropped
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PROCESS MODULE
kmalloc-top -i ../../examples/mixed.kmr --by=process,module -e tcp_ -m 30 -t 4 -s bytes
