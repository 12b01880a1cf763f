# Ages have no sum: a row has no share of them.
fixture held 7 1 >"$WORK/held.kms"
kmalloc-top --held --by=process -s age -q -i "$WORK/held.kms"
kmalloc-top --held --by=process -s age -q -i "$WORK/held.kms" --format=json | grep -o '"share_percent":[^,]*'
slabstack --held -s age -q -i "$WORK/held.kms" | grep -A2 'by process'
