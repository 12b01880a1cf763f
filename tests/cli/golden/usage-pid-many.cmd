kmalloc-top -p $(seq -s, 1 65)
