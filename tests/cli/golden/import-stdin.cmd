kmalloc-top -i - -t 1 < import/hashkey.txt
