kmalloc-top -i ../../examples/mixed.kmr --info
