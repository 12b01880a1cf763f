fixture s390x | kmalloc-top -i - -t 2 -e tcp_ --format=json
