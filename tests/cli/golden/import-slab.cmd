kmalloc-top -i import/slab.txt --details
