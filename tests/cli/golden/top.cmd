kmalloc-top -i import/hashkey.txt -t 1
