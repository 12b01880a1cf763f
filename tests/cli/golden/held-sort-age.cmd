# Ages have no sum: a row has no share of them.
# columns: HELD REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST ALLOCATED FREED FREED<1ms CROSS-CPU PEAK-BYTES | PROCESS
fixture held 7 1 >"$WORK/held.kms"
kmalloc-top --held --by=process -s age -q -i "$WORK/held.kms"
kmalloc-top --held --by=process -s age -q -i "$WORK/held.kms" --format=json | grep -o '"share_percent":[^,]*'
slabstack --held -s age -q -i "$WORK/held.kms" | grep -A2 'by process'
