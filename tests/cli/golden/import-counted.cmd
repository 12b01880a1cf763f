kmalloc-top -i import/counted.txt
