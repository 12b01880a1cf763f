kmalloc-top -i ../../examples/mixed.kmr > $WORK/a; zstd -dcq ../../examples/mixed.kmr | kmalloc-top -i - > $WORK/b; cmp $WORK/a $WORK/b && echo the same report
