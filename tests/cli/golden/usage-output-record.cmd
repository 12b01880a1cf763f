kmalloc-top --record $WORK/x.kmr -O $WORK/x.kmr -c true
