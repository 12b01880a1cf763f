# Binary, so not for a terminal; the same report is the same file, byte by byte.
kmalloc-top -i ../../examples/mixed.kmr --format=pprof -O "$WORK/1"
kmalloc-top -i ../../examples/mixed.kmr --format=pprof | cmp - "$WORK/1"
head -c 3 "$WORK/1" | od -An -tx1
kmalloc-top --format=pprof --every=1
