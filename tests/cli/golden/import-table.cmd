kmalloc-top -q -i ../../examples/mixed.kmr --by=process,stack | kmalloc-top -i -
stack-top -q -i ../../examples/reclaim.kmr --by=process,stack | kmalloc-top -i -
kmalloc-top -q --import=page_owner held/7.2/page_owner.after --by=process,stack -t 20 | kmalloc-top -i -
