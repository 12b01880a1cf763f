# shows: Nothing to show
fixture s390x | kmalloc-top -i - --min-bytes 1K
