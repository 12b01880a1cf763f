kmalloc-top -o "-o file"
