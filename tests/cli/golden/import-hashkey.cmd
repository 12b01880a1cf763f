kmalloc-top -i import/hashkey.txt
