# What does not compare.
kmalloc-top -i ../../examples/mixed.kmr --diff=no-such-file
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/reclaim.kmr
stack-top -i ../../examples/reclaim.kmr --diff=../../examples/mixed.kmr
fixture hits >"$WORK/hits.kmr" && stack-top -i ../../examples/reclaim.kmr --diff="$WORK/hits.kmr" 2>&1 | sed "s|$WORK|WORK|g"
kmalloc-top --held -i ../../examples/growth.kmr --diff=../../examples/mixed.kmr
kmalloc-top -i ../../examples/mixed.kmr --diff=import/report.txt -s bytes
kmalloc-top -i ../../examples/mixed.kmr --diff=import/report.txt --per=second
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr --from 1
kmalloc-top -i ../../examples/mixed.kmr --per=second
kmalloc-top -i ../../examples/mixed.kmr --diff=x --per=minute
kmalloc-top -i ../../examples/mixed.kmr --diff=x --info
kmalloc-top -i ../../examples/mixed.kmr --diff=x -p 1
kmalloc-top -i ../../examples/mixed.kmr --diff=x --kallsyms=x
kmalloc-top -i ../../examples/mixed.kmr --diff=x --format=speedscope
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples
kmalloc-top --check --diff=no-such-file
slabstack sock_inode_cache -i ../../examples/growth.kmr --diff=../../examples/mixed.kmr
kmalloc-top -i - --diff=-
kmalloc-top --diff=x --record=-
kmalloc-top --diff=x --import=allocinfo
kmalloc-top -i ../../examples/mixed.kmr --diff=x -O x
slabstack --diff=x
slabratetop --diff=x
