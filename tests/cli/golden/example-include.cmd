kmalloc-top -i ../../examples/mixed.kmr -I unix_stream_sendmsg -q
