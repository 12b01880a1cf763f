for value in 0x1 1e1 . -1 nan ''; do kmalloc-top -d "$value"; done; kmalloc-top -i x --from 0x1; slabratetop 0x1
