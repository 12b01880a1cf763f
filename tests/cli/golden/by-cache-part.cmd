# shows: Names; Recorded
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CACHE
fixture slab-part | kmalloc-top -i - -q --by=cache
