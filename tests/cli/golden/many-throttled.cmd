# shows: Sampled
# columns: ALLOCATIONS SHARE% +-% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PROCESS
mkdir -p $WORK; cd $WORK; for one in mixed growth; do zstd -dc $OLDPWD/../../examples/$one.kmr | fixture throttle 8 >$one.kmr; done; kmalloc-top -q -i mixed.kmr -i growth.kmr --by=process -t 1
