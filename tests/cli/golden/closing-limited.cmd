# shows: Names; Scope; Interrupts left out; Clock; Traced command; Symbols; Large kmallocs; Ended early; Beside BPF; Too large; Lost
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CACHE
fixture limited | kmalloc-top -i - --details -q --by=cache
