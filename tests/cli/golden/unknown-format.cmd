echo hello world | kmalloc-top -i -
