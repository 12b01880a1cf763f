# shows: Bytes; Failed allocations (NULL), not counted above; Counted; Dropped; Processes of these stacks; Scope; Covered; Cut at 64 frames; Run; Command; Traced command; Tracing cost
# columns: requested allocated wasted
kmalloc-top -i ../../examples/mixed.kmr --details -s bytes -t 5 -q
