kmalloc-top -i ../../examples/mixed.kmr > $WORK/a; zstd -dc ../../examples/mixed.kmr | fixture swap | kmalloc-top -i - > $WORK/b; cmp $WORK/a $WORK/b && echo the same report
