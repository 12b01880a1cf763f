kmalloc-top -s size
