# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i r.kmr -r 1 -s name 0.55
