# shows: Not recorded by this kernel
fixture aarch64 | kmalloc-top -i - -q
