# shows: Left out
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PID
fixture cgroups | kmalloc-top -q -i - -p 101,999 --by=pid; fixture cgroups | kmalloc-top -q -i - -p 101 --with-interrupts --by=pid
