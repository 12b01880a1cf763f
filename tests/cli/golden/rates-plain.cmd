# shows: Lost
# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -i r.kmr 0.25
