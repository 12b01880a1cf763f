# A profile for each figure that is not 0; -s selects the one that opens first, filters the stacks.
kmalloc-top -i ../../examples/mixed.kmr -t 2 -s bytes --format=speedscope
fixture rates-held >"$WORK/h.kmr" && kmalloc-top --held -i "$WORK/h.kmr" -e . --no-host --format=speedscope
stack-top -i ../../examples/reclaim.kmr -t 1 -s time --format=speedscope
