kmalloc-top --by=process,cache,stack -i ../../examples/mixed.kmr
