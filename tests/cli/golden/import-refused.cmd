refuse() { printf "$1" | kmalloc-top -i -; }
refuse 'unreferenced object 0xffff888110c46240 (size 96):\n    f+0x6f/0x100\n    g+0x6f/0x100\n'
refuse '\t640 bytes in 10 allocations from stack\n\t\tf+0x1 [kernel]\n\t\tg+0x1 [kernel]\n'
refuse '@[\n    f+580\n    g+47\n]: 12\n'
refuse '# tracer: nop\n'
refuse 'slabinfo - version: 2.1\n'
refuse 'x 1 [000] 1.5: sched:sched_switch: a ==> b\n'
