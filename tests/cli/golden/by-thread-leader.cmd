# shows: Processes of these stacks
kmalloc-top -i import/threads.txt --by=thread -q
