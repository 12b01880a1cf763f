kmalloc-top -i import/hashkey.txt -m 0 -q -t 1
