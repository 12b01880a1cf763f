fixture cgroups | kmalloc-top -q -i - --cgroup '/user.slice/*'
