# shows: Bytes; Names
# columns: requested allocated wasted
fixture slab | slabstack -i - kmalloc-192
