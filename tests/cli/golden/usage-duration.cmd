kmalloc-top -d 0
