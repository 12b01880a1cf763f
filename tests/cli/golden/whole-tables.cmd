# Each kind of table, and the bytes of stacks, with all columns that are shown by default.
set -o pipefail
kmalloc-top -i ../../examples/mixed.kmr --by=process -q; echo "status $?"
kmalloc-top -i ../../examples/mixed.kmr --details -s bytes -t 1 -q | sed '1,/^$/!d'; echo "status $?"
fixture s390x | kmalloc-top -i - --by=process,callsite -q | sed '1,/^$/!d'; echo "status $?"
fixture leak >"$WORK/leak.kmr" && kmalloc-top --held -i "$WORK/leak.kmr" --by=callsite -q | sed '/^Verdict:/,/^$/d' | sed '1,/^$/!d'; echo "status $?"
kmalloc-top --held -i "$WORK/leak.kmr" --by=process -s run-waste -q | sed '/^Verdict:/,/^$/d' | sed '1,/^$/!d'; echo "status $?"
fixture spans | stack-top -i - --by=point,process -q | sed '1,/^$/!d'; echo "status $?"
fixture rates >"$WORK/r.kmr" && slabratetop -q -i "$WORK/r.kmr" 0.5 1; echo "status $?"
fixture rates-held >"$WORK/h.kmr" && slabratetop -q -i "$WORK/h.kmr" --held 2; echo "status $?"
