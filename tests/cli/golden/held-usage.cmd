# Each of these is refused.
kmalloc-top --import=slabinfo
kmalloc-top --import=alloc_traces a b c
kmalloc-top --import=alloc_traces - -
kmalloc-top --import=alloc_traces -i a
kmalloc-top --import=alloc_traces a -d 5
kmalloc-top --import=alloc_traces a --from 3
kmalloc-top --import=alloc_traces a --check
kmalloc-top --import=alloc_traces a --held
kmalloc-top --hz=250
kmalloc-top --import=alloc_traces --hz=0 a
kmalloc-top --import=alloc_traces a b -O b
