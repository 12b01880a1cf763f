# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES FAILED | HOST
mkdir -p $WORK; fixture cgroups >$WORK/a.kmr; fixture leak >$WORK/b.kmr; fixture s390x >$WORK/c.kmr; kmalloc-top -q -i $WORK --by=host
