# The figures of metrics by their names: in --help=all, and in messages about a name that does not exist.
for tool in kmalloc-top slabstack slabratetop stack-top; do $tool --help=all | sed -n "/^Keys of -s/,/^\$/p"; done
for words in "kmalloc-top -s size" "slabratetop --columns +frees" "slabratetop -s procs,x" "stack-top t:a:b -s bytes"; do $words; echo "status $?"; done
