fixture aarch64 | kmalloc-top -i - -q
