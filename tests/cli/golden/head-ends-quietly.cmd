kmalloc-top -i import/hashkey.txt | head -n 1
