kmalloc-top --build-module
