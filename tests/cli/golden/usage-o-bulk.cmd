kmalloc-top -o -b
