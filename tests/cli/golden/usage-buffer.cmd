kmalloc-top --buffer 0
