# shows: Unknown
fixture riscv64 >"$WORK/newer.kms"
kmalloc-top -i "$WORK/newer.kms" -q -t 1
kmalloc-top -i "$WORK/newer.kms" --info | grep Complete
kmalloc-top -i "$WORK/newer.kms" --format=json | grep -o '"unknown_parts":[0-9]*'
kmalloc-top -i "$WORK/newer.kms" -i "$WORK/newer.kms" -q -t 1 | grep Unknown
