head -c 4096 /dev/zero | kmalloc-top -i -
