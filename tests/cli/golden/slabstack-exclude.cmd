fixture slab | slabstack filp,kmalloc-192 -i - -e alloc_pipe -m 4
