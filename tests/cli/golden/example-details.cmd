kmalloc-top -i ../../examples/mixed.kmr --details -s bytes -t 5 -q
