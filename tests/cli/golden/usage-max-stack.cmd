kmalloc-top --max-stack 0
