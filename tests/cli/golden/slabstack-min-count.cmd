# Processes with fewer allocations have no block, and are not in the list.
fixture slab | slabstack filp,kmalloc-192 -q -i - -m 8 | sed -n '/^Number of/,/^Allocations:/p'
