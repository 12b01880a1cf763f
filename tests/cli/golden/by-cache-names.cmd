# shows: Names
kmalloc-top -i ../../examples/mixed.kmr --by=cache -t 2 -q | grep '^Names'
