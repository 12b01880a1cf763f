fixture cgroups | kmalloc-top -i - --cgroup sshd.service --details
