zstd -dc ../../examples/mixed.kmr | fixture throttle 8 >$WORK/s && kmalloc-top -i $WORK/s --no-host -t 2 --by=process,cache --sort=waste --format=json
