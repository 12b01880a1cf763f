kmalloc-top -o "--remote host"
