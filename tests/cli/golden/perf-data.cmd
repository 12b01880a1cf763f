printf "PERFILE2h\0\0\0\0\0\0\0" | kmalloc-top -i -
