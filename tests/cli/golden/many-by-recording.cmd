# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES FAILED | START RECORDING
mkdir -p $WORK; fixture cgroups >$WORK/a.kmr; fixture leak >$WORK/b.kmr; fixture s390x >$WORK/c.kmr; cd $WORK; kmalloc-top -q -i a.kmr -i b.kmr -i c.kmr --by=recording --no-host
