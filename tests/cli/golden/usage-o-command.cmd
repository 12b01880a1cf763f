kmalloc-top -o "-c ls"
