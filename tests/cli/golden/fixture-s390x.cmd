# shows: Failed allocations (NULL), not counted above; Tracing cost; Run
fixture s390x | kmalloc-top -i - --details
