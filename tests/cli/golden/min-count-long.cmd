kmalloc-top -i import/hashkey.txt --min-count=10 -q
