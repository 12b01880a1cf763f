kmalloc-top --frobnicate
