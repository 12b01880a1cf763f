kmalloc-top --only-command -p 1 -c true
