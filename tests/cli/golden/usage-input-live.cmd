kmalloc-top -i import/hashkey.txt -c true
