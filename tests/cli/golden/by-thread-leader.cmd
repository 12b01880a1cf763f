kmalloc-top -i import/threads.txt --by=thread -q
