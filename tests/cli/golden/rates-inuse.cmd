# columns: ALLOCS BYTES INUSE | CACHE
fixture slab >"$WORK/s.kmr" && cd "$WORK" && slabratetop -q -i s.kmr --columns=+inuse 4; slabratetop -q -i s.kmr --columns=+inuse -s inuse 86400
