kmalloc-top -i nowhere.kmr
