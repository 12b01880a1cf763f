kmalloc-top -m -1
