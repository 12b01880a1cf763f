fixture slab | slabstack 'kmalloc*-192,filp' -i - -t 2 -s bytes --human
