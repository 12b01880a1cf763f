slabstack --import=alloc_traces filp held/6.12/alloc_traces/before held/6.12/alloc_traces/after
