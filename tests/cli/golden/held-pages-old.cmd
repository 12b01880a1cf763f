# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST | PROCESS CGROUP
kmalloc-top -q -i held/made/page_owner.old; kmalloc-top -q -i held/made/page_owner.old --by=process,cgroup
