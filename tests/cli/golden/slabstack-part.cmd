# shows: Recorded
fixture slab-part | slabstack -i - filp,kmalloc-192 -t 1
