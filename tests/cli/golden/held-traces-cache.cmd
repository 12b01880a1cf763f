# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST | CACHE PROCESS
kmalloc-top --import=alloc_traces held/6.12/alloc_traces/after --by=cache,process -s bytes
