# columns: ALLOCS BYTES | CACHE PROCS
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i r.kmr 86400 --columns +procs --process kworker,find; slabratetop -q -i r.kmr 86400 --columns +procs -p 300
