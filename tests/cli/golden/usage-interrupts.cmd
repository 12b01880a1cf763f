kmalloc-top --with-interrupts
