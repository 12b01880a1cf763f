# shows: Nothing to show
kmalloc-top -i import/hashkey.txt -e tcp_ -e ext3
