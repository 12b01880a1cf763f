fixture slab | fixture memory 2 | kmalloc-top -i - --info
