# All figures of bytes rank these stacks alike.
fixture s390x >"$WORK/s.kms"
set -o pipefail
kmalloc-top -i "$WORK/s.kms" -s bytes -q | tee "$WORK/bytes"; echo "status $?"
for key in requested waste; do kmalloc-top -i "$WORK/s.kms" --sort=$key -q | cmp - "$WORK/bytes" && echo "the same by $key"; done
