# shows: Frees; Stacks; Part
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PROCESS
fixture rates >"$WORK/r.kmr" && cd "$WORK" && for part in "--to 0.249995" "--from 0.249995 --to 0.76" "--from 0.77" "--from 1.5" "--from 0.05 --to 7"; do kmalloc-top -q -i r.kmr --by=process $part | grep -v "^Bytes\|^Counted\|^Covered"; done
