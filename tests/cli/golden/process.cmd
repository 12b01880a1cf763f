# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PROCESS
fixture cgroups | kmalloc-top -q -i - --process 'ssh*,gone' --by=process
