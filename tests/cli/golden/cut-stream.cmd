# shows: Nothing to show
fixture s390x | head -c 1000 | kmalloc-top -i - -q
