kmalloc-top --format=xml
