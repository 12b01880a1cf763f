# The lowest and the highest age of a stack's objects; with a filter of processes of theirs alone; in JSON.
kmalloc-top --import=alloc_traces --hz=1000 held/6.12/alloc_traces/after -q -t 12 | grep ' held, '
kmalloc-top --import=page_owner held/7.2/page_owner.after -q -t 3 --process=dd,keeper | grep ' held, '
kmalloc-top --import=alloc_traces --hz=250 held/6.12/alloc_traces/after -t 1 --format=json | grep -oE '"age_[a-z_]*":[^,]*'
