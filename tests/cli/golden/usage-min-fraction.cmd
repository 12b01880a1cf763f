kmalloc-top -m 3.5
