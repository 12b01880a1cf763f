fixture slab | slabstack -i - --info kmalloc-192
