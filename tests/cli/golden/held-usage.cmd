# What chooses from held objects needs them.
kmalloc-top --min-age=1
kmalloc-top --peak
kmalloc-top --held --min-age=0
kmalloc-top --held --peak --min-age=1
kmalloc-top -s held
kmalloc-top -s peak
kmalloc-top --import=page_owner -s peak
kmalloc-top --by=age
kmalloc-top --held --by=age,free-callsite
kmalloc-top --held --by=age -s freed
