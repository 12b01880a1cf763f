# shows: Shrunk, not shown
kmalloc-top --import=allocinfo held/6.12/allocinfo.before held/6.12/allocinfo.after -t 3 -s bytes --human
