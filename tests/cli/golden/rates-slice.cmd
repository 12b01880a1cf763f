# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i r.kmr 0.25 --from 0.2 --to 0.7; slabratetop -q -i r.kmr 0.25 --from 9; head -c 4000 r.kmr | slabratetop -q -i - 0.25 --to 0.2
