kmalloc-top --only-command
