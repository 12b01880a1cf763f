kmalloc-top --events=free
