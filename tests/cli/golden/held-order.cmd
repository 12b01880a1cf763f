# Each CPU's batches stay in order, but those of different CPUs come in any.
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST ALLOCATED FREED FREED<1ms CROSS-CPU PEAK-BYTES | PROCESS STACK
recording() { fixture held 7 "$1" >"$WORK/$1.kms"; }
report() { kmalloc-top -q --held --by=stack,process "$@"; }
recording 1
report -t2 -i "$WORK/1.kms" | sed '/^Verdict:/,/^$/d' | head -8
report --format=json -i "$WORK/1.kms" >"$WORK/1.json"
for order in 2 3 4 5 6 7 8 9; do
  recording $order
  cmp -s "$WORK/1.kms" "$WORK/$order.kms" && echo not reordered
  report --format=json -i "$WORK/$order.kms" | cmp - "$WORK/1.json" && echo same
done
