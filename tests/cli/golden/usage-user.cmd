kmalloc-top -u nobody
