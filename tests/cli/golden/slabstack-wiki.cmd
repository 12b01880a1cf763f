slabstack -i import/slab.txt kmalloc-64 -t 3
