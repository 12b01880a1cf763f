fixture s390x | kmalloc-top -i - -s bytes -q
