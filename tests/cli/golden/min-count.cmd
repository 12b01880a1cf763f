kmalloc-top -i import/hashkey.txt -m 10
