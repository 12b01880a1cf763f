kmalloc-top --callsite-skip=,
