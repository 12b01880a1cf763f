kmalloc-top --stacks=some
