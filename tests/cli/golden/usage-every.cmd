# Each of these is refused.
kmalloc-top --every=0
kmalloc-top --every=x -d 5
kmalloc-top --every=100000
kmalloc-top --every=5 --record=-
kmalloc-top --every=5 -i example.kmr
kmalloc-top --every=5 --import=allocinfo
slabstack --every=5
slabratetop --every=5
