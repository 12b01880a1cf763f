kmalloc-top --
