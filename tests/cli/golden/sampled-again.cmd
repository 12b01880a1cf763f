zstd -dc ../../examples/mixed.kmr | fixture throttle 8 | kmalloc-top -i - -q >$WORK/r; kmalloc-top -i $WORK/r -t 2
