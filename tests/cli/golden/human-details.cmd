# shows: Bytes
# columns: requested allocated wasted
kmalloc-top -i ../../examples/mixed.kmr --details --human -s bytes -t 1 -q
