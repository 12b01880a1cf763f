# shows: Processes of these stacks
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | THREAD
kmalloc-top -i import/threads.txt --by=thread -q
