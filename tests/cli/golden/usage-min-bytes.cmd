kmalloc-top --min-bytes 1X
