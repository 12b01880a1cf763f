fixture cgroups | kmalloc-top -q -i - --process 'ssh*,gone' --by=process
