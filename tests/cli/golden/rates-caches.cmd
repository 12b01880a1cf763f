# columns: ALLOCS BYTES | CACHE
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i r.kmr --cache 'ftrace*,dentry' 0.5 1; slabratetop -q -i r.kmr --exclude-cache 'filp,kmalloc*,d*' 0.6; slabratetop -q -i r.kmr --cache dentri
