kmalloc-top -i ../../examples/mixed.kmr -m 10 -t 3 -e tcp_
