kmalloc-top -p 12,x
