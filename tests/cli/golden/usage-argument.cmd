kmalloc-top sleep 1
