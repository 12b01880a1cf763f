fixture s390x > "$WORK/s.kms"; ulimit -n 8; kmalloc-top -q -i "$WORK/s.kms"
