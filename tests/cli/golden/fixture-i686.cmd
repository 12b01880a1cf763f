fixture i686 | kmalloc-top -i - --details
