mkdir -p $WORK; fixture cgroups >$WORK/a.kmr; fixture leak >$WORK/b.kmr; fixture s390x >$WORK/c.kmr; cd $WORK; kmalloc-top -i a.kmr -i c.kmr --format=ndjson -t 2
