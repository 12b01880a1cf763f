kmalloc-top -i import/threads.txt --by=pid -q
