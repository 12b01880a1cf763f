# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST | CACHE CALLSITE
kmalloc-top -q --import=alloc_traces held/made/alloc_calls --by=cache,callsite; kmalloc-top -q -i held/made/alloc_calls/filp/alloc_calls -t 1
