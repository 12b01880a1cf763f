kmalloc-top -t 0
