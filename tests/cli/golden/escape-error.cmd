kmalloc-top -i $'/no\e[31mwhere'
