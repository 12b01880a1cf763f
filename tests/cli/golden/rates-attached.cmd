# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && slabratetop -i"$WORK/r.kmr" -r1 1 2
