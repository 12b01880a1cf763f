# Two runs: what changed, what is noise, and what was recorded differently.
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 2
slabstack size-32 -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 2 --no-host | sed '/^Old/,$d'
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr --by=process,callsite -t 4 -s bytes --human | sed '/^Old/,$d'
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr --by=process -t 3 -m 100 -e p9 --per=event | sed '/^Old/,$d'
# The same run again.
kmalloc-top -i ../../examples/growth.kmr --diff=../../examples/growth.kmr --by=process -t 2 | sed '/^Old/,$d'
# Filters may leave nothing.
kmalloc-top -i ../../examples/growth.kmr --diff=../../examples/growth.kmr -I nothing_like_it | grep -v '^  '
