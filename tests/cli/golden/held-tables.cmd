# Every figure and every key of held objects in tables, and the orders that they give.
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST ALLOCATED FREED FREED<1ms CROSS-CPU PEAK-BYTES RUN-REQUESTED RUN-ALLOCATED RUN-WASTED | PROCESS AGE CALLSITE FREE-CALLSITE
fixture leak >"$WORK/leak.kmr"
for sort in held-bytes age freed short-lived cross-cpu peak; do kmalloc-top -q --held -i "$WORK/leak.kmr" --by=process -s $sort | sed '/^Verdict:/,/^$/d' | sed /^$/q; done
kmalloc-top -q --held -i "$WORK/leak.kmr" --by=age,process | sed '/^Verdict:/,/^$/d' | sed /^$/q
kmalloc-top -q --held -i "$WORK/leak.kmr" --by=callsite,free-callsite | sed '/^Verdict:/,/^$/d' | sed /^$/q
kmalloc-top -q --held -i "$WORK/leak.kmr" --by=free-callsite -s held | sed '/^Verdict:/,/^$/d' | sed /^$/q
slabstack --held -i "$WORK/leak.kmr" filp | sed '/^Exec/,$d'
kmalloc-top -q --held -i "$WORK/leak.kmr" --format=json -t 1 | grep -o '"held_times":{[^}]*}[^}]*}[^}]*}' | head -n 1
