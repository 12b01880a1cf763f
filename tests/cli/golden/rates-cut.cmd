# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && cd "$WORK" && head -c 4000 r.kmr >cut.kmr; slabratetop -q -r 1 -i cut.kmr 86400
