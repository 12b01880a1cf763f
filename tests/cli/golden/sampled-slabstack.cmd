# shows: Sampled
fixture slab | fixture sample 5 | slabstack -i - 'kmalloc-*' -t 3
