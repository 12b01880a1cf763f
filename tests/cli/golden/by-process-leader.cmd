kmalloc-top -i import/threads.txt --by=process -q
