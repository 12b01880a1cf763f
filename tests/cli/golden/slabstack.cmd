fixture slab | slabstack -i - kmalloc-192
