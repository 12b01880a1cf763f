# columns: ALLOCATIONS SHARE% +-% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES REQUESTED ALLOCATED WASTED | CACHE PROCESS
zstd -dc ../../examples/mixed.kmr | fixture throttle 8 >$WORK/s && kmalloc-top -i $WORK/s -t 4 --by=cache && kmalloc-top -i $WORK/s -t 4 --by=process --sort=waste --human -q
