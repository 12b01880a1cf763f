kmalloc-top -c 'find "'
