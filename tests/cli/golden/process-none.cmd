fixture cgroups | kmalloc-top -q -i - --process nobody
