kmalloc-top --by=process,comm -i ../../examples/mixed.kmr
