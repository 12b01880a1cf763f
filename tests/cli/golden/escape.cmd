# shows: Processes of these stacks
fixture s390x | kmalloc-top -i - --details -q | grep pipe
