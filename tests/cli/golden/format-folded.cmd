# What -s ranks is the figure; filters and -t select the stacks.
kmalloc-top -i ../../examples/mixed.kmr -t 3 --format=folded
slabstack size-32 -i ../../examples/mixed.kmr -t 2 -s bytes --format=folded
fixture hits | stack-top -i - --format=folded -t 3
# Not everything can be a picture.
kmalloc-top -i x --format=folded --by=process
kmalloc-top -i x --format=folded --info
kmalloc-top --every 1 --format=folded
stack-top -i x --format=folded -s max
slabratetop -i x --format=folded
slabstack --format=folded
