# shows: Run
fixture s390x | kmalloc-top -i - --no-host -q
