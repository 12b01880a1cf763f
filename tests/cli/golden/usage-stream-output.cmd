kmalloc-top --record=- -O $WORK/report -d 1
