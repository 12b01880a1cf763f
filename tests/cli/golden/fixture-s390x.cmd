# shows: Failed allocations (NULL), not counted above; Tracing cost; Run
# columns: requested allocated wasted
fixture s390x | kmalloc-top -i - --details
