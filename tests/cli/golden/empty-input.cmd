kmalloc-top -i /dev/null
