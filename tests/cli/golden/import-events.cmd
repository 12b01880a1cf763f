kmalloc-top -i import/events.txt
