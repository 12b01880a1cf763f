fixture s390x | kmalloc-top -i - -s waste -q
