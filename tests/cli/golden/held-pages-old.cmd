kmalloc-top -q -i held/made/page_owner.old; kmalloc-top -q -i held/made/page_owner.old --by=process,cgroup
