kmalloc-top -m
