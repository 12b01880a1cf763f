fixture s390x | kmalloc-top -i - --max-memory 16 -q
