# members: interval end_time seconds partial events_lost events_lost_max caches {rows,sum}.{cache,allocations_per_second}
# members: {rows,sum}.{cache_by_size,bytes_allocated_per_second}
fixture rates >"$WORK/r.kmr"; slabratetop -i "$WORK/r.kmr" 0.5 1 --format=json --rate; slabratetop -i "$WORK/r.kmr" 0.5 1 --json --rate | cmp - <(slabratetop -q -i "$WORK/r.kmr" 0.5 1 --format=json --rate) && echo same
