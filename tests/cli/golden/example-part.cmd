cp ../../examples/mixed.kmr $WORK/part.kmr.part; truncate -s -20000 $WORK/part.kmr.part; kmalloc-top -i $WORK/part.kmr.part -t 1 -q | tail -n 1
