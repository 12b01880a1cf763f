fixture i686 | fixture swap | kmalloc-top -i - --details
