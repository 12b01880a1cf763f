# shows: Sizes; Counted
kmalloc-top --import=alloc_traces --hz=250 held/6.12/alloc_traces/after -t 2
