# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i r.kmr 0.25 2; slabratetop -q -i - 0.25 1 <r.kmr
