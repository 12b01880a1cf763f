kmalloc-top --info
