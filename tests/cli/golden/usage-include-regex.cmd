kmalloc-top --include-regex '[a'
