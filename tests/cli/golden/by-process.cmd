kmalloc-top -i ../../examples/mixed.kmr --by=process -q
