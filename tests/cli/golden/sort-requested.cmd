fixture s390x | kmalloc-top -i - --sort=requested -q
