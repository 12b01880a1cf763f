# shows: Shrunk, not shown; Processes of these stacks
kmalloc-top --import=page_owner held/7.2/page_owner.before held/7.2/page_owner.after -q -t 1 --human
