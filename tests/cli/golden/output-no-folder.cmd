kmalloc-top -i import/hashkey.txt -O $WORK/none/report
