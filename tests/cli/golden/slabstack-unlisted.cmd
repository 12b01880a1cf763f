slabstack -i ../../examples/mixed.kmr kmalloc-4k -t 1 --no-host
