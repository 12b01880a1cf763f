# shows: Full tables; Memory
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PROCESS CACHE
fixture crowded | kmalloc-top -i - -q --max-memory 16 -t 1 --by=process,cache
