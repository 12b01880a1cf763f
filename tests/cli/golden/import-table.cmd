kmalloc-top -q -i ../../examples/mixed.kmr --by=process,stack | kmalloc-top -i -
