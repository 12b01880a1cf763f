kmalloc-top -c true -- false
