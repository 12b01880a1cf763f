slabstack --record $WORK/x.kmr -d 1
