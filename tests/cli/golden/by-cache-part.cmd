fixture slab-part | kmalloc-top -i - -q --by=cache
