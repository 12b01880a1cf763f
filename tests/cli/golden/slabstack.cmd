# shows: Bytes; Names
fixture slab | slabstack -i - kmalloc-192
