kmalloc-top --process=
