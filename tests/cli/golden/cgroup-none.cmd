fixture cgroups | kmalloc-top -q -i - --cgroup sshd
