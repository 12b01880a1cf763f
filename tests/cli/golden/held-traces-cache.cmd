kmalloc-top --import=alloc_traces held/6.12/alloc_traces/after --by=cache,process -s bytes
