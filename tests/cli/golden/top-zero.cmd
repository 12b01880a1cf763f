kmalloc-top -i ../../examples/mixed.kmr -t 0; kmalloc-top -i ../../examples/mixed.kmr -t 0 --format=json | grep -c "\"stacks\":\[\],"
