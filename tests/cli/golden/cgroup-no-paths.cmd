# shows: Left out
fixture i686 | kmalloc-top -q -i - --cgroup sshd.service
