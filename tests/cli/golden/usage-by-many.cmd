kmalloc-top --by=process,cache,stack,pid -i ../../examples/mixed.kmr
