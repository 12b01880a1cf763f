kmalloc-top -q -i import/slab_after_interrupt.txt
