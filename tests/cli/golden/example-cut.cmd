# shows: Traced command
head -c -20000 ../../examples/mixed.kmr | kmalloc-top -i - -t 1 -q | tail -n 4
