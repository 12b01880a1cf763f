# shows: Sampled
zstd -dc ../../examples/mixed.kmr | fixture throttle 8 | kmalloc-top -i - -t 4
