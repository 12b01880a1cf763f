echo old > $WORK/again; kmalloc-top -i import/hashkey.txt -O $WORK/again -q -t 1; head -1 $WORK/again
