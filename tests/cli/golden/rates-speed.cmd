# columns: ALLOCS/s BYTES/s FREES/s NET/s REQ/s WASTE/s | CACHE PROCS
fixture rates >"$WORK/r.kmr" && cd "$WORK" && { slabratetop -i r.kmr 0.25 --columns +free,+net,+req,+waste,+procs -s net --rate --speed max >max; slabratetop -i r.kmr 0.25 --columns +free,+net,+req,+waste,+procs -s net --rate --speed 1 >paced; cmp max paced && cat paced; }
