# shows: Nothing to show
kmalloc-top -i ../../examples/mixed.kmr --by=pid -e tcp_ -m 100000 -q
