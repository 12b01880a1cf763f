# shows: Held
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST ALLOCATED FREED FREED<1ms CROSS-CPU PEAK-BYTES | STACK
mkdir -p $WORK; fixture cgroups >$WORK/a.kmr; fixture leak >$WORK/b.kmr; fixture s390x >$WORK/c.kmr; cp $WORK/b.kmr $WORK/d.kmr; cd $WORK; kmalloc-top -q -i b.kmr --held -i d.kmr -t 1 --by=stack
