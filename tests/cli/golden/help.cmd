kmalloc-top --help
