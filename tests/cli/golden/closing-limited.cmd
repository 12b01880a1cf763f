# shows: Names; Scope; Interrupts left out; Clock; Traced command; Symbols; Large kmallocs; Ended early; Beside BPF; Too large; Lost
fixture limited | kmalloc-top -i - --details -q --by=cache
