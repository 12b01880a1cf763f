# Each kind of table, and the bytes of stacks, with all columns that are shown by default.
kmalloc-top -i ../../examples/mixed.kmr --by=process -q
kmalloc-top -i ../../examples/mixed.kmr --details -s bytes -t 1 -q | sed '/^$/q'
fixture s390x | kmalloc-top -i - --by=process,callsite -q | sed '/^$/q'
fixture leak >"$WORK/leak.kmr" && kmalloc-top --held -i "$WORK/leak.kmr" --by=callsite -q | sed '/^$/q'
kmalloc-top --held -i "$WORK/leak.kmr" --by=process -s run-waste -q | sed '/^$/q'
fixture spans | stack-top -i - --by=point,process -q | sed '/^$/q'
fixture rates >"$WORK/r.kmr" && slabratetop -q -i "$WORK/r.kmr" 0.5 1
fixture rates-held >"$WORK/h.kmr" && slabratetop -q -i "$WORK/h.kmr" --held 2
