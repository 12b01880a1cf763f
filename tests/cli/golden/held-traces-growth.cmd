# shows: Sizes; Shrunk, not shown; Counted
kmalloc-top --import=alloc_traces held/6.12/alloc_traces/before held/6.12/alloc_traces/after -t 2
