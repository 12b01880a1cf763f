fixture slab | fixture memory 2 | fixture sample 5 | slabstack -i - 'kmalloc-*' -t 2 --format json
