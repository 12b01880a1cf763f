kmalloc-top -d soon
