# columns: ALLOCATIONS SHARE% REQUESTED ALLOCATED WASTED | PID STACK
kmalloc-top -i ../../examples/mixed.kmr --by=stack,pid -I unix_ -t 1 --human -q
