kmalloc-top --top=xyz
