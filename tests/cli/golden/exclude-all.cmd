kmalloc-top -i import/hashkey.txt -m 4 -e kernel
