# columns: requested allocated wasted
fixture cgroups | kmalloc-top -i - --cgroup sshd.service --details
