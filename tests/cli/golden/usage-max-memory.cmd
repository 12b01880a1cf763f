kmalloc-top --max-memory 1
