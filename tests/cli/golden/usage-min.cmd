kmalloc-top -m abc
