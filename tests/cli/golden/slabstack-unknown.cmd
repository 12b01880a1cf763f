fixture slab | slabstack -i - kmalloc-129
