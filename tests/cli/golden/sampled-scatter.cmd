# shows: Sampled
# columns: requested allocated wasted
zstd -dc ../../examples/mixed.kmr | fixture sample 8 400 | kmalloc-top -i - -t 1 --details
