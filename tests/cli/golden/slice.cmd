kmalloc-top -q -i ../../examples/mixed.kmr -t 2 --from 0.2 --to .4
