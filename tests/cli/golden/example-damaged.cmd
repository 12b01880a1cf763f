# shows: Lost
head -c -30000 ../../examples/mixed.kmr > $WORK/d; printf 'XXXXXXXX' >> $WORK/d; tail -c 29992 ../../examples/mixed.kmr >> $WORK/d; kmalloc-top -i $WORK/d -t 1 -q | tail -n 1
