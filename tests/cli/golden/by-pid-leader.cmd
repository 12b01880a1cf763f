# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PID
kmalloc-top -i import/threads.txt --by=pid -q
