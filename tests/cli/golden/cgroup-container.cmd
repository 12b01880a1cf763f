# shows: Left out
fixture cgroups | kmalloc-top -q -i - --cgroup 'docker:*'
