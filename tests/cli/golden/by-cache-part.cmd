# shows: Names; Recorded
fixture slab-part | kmalloc-top -i - -q --by=cache
