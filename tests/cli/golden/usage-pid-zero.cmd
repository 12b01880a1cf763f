kmalloc-top -p 0
