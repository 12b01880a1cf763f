kmalloc-top --by=process,process -i ../../examples/mixed.kmr
