kmalloc-top --events=kmalloc,slab
