# A file, and the folder of one cache, in three ways.
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST | CACHE
kmalloc-top -i held/6.12/alloc_traces/after/filp/alloc_traces -q --by=cache
(cd held/6.12/alloc_traces/after/filp && kmalloc-top --import=alloc_traces alloc_traces -q --by=cache)
kmalloc-top --import=alloc_traces held/6.12/alloc_traces/after/filp -q --by=cache
