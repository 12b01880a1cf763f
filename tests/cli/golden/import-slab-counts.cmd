# shows: Processes of these stacks
sed '/^Backtrace/,$d' import/slab.txt | kmalloc-top -i - --details
