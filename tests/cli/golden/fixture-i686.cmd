# columns: requested allocated wasted
fixture i686 | kmalloc-top -i - --details
