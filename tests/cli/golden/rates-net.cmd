# columns: ALLOCS BYTES FREES NET | CACHE
# members: interval end_time seconds partial events_lost events_lost_max caches
# members: {rows,sum}.{cache,allocations,bytes_allocated,frees,net} rows.net_unknown net_caches_left_out
fixture rates-blind >"$WORK/b.kmr"; slabratetop -q -i "$WORK/b.kmr" --columns +free,+net 86400; slabratetop -q -i "$WORK/b.kmr" --columns +net --cache "kmalloc*" 86400; slabratetop -q -i "$WORK/b.kmr" --columns +free,+net --json 0.25 2; slabratetop -q -i - -s net 86400 < "$WORK/b.kmr"; slabratetop -q -i "$WORK/b.kmr" -s net --cgroup "*" 86400; slabratetop -q -i ../../examples/mixed.kmr -r 2 --columns +free,+net
