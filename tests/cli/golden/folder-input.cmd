kmalloc-top -i import
