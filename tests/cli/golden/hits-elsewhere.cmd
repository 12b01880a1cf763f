# Allocations and hits of probe points have different reports.
fixture hits >"$WORK/hits.kms"
for tool in kmalloc-top slabstack slabratetop; do
  $tool -i "$WORK/hits.kms"
  echo "status $?"
done
stack-top -i ../../examples/mixed.kmr
