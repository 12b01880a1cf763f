# shows: Nothing to show
# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i r.kmr 86400 --process nobody; slabratetop -q -i r.kmr 86400 -p 99999 --json | wc -l; slabratetop -q -i r.kmr --from 0.6 --to 0.65 1
