{ fixture s390x; printf junk; fixture s390x | tail -c 400; } | kmalloc-top -i - -t 1 --format=json
