kmalloc-top -i import/hashkey.txt -O import/hashkey.txt
