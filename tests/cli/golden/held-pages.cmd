# The last one is recognised.
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST | PROCESS
kmalloc-top --import=page_owner held/7.2/page_owner.after -t 1 -s bytes
kmalloc-top --import=page_owner held/7.2/page_owner.after -q -t 4 --by=process
kmalloc-top -i held/7.2/page_owner_sort.after -q -t 4 --by=process
