fixture s390x | kmalloc-top -i - --info
