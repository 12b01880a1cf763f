# shows: Not read
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES FAILED | HOST
mkdir -p $WORK; fixture cgroups >$WORK/a.kmr; fixture leak >$WORK/b.kmr; fixture s390x >$WORK/c.kmr; echo no >$WORK/d.kmr; head -c 3000 $WORK/b.kmr >$WORK/e.kmr; cd $WORK; kmalloc-top -i a.kmr -i c.kmr -i d.kmr -i e.kmr --by=host
