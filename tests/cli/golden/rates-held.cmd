# What is held at the end of each interval, also of caches without events; then totals of a sample of addresses, whose
# allocations are not known.
# columns: ALLOCS BYTES HELD HELD-BYTES NET +-% | CACHE PROCS
# members: interval end_time seconds partial events_lost events_lost_max sampling_period caches
# members: {rows,sum}.{cache,allocations,bytes_allocated,objects_held,bytes_held}
# members: {rows,sum}.{allocations_margin_percent,bytes_allocated_margin_percent,objects_held_margin_percent}
# members: frees_not_seen held_compared
fixture rates-held >"$WORK/h.kmr" && fixture sample 4 <"$WORK/h.kmr" >"$WORK/s.kmr" && fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i h.kmr --held .25; slabratetop -q -i h.kmr -s held --cache=dentry,filp .5; slabratetop -q -i h.kmr --held -s bytes --columns=+net,+procs --process=find 2; slabratetop -q -i s.kmr --held --columns=+procs 2; slabratetop -i s.kmr --json --held 2; slabratetop -q -i r.kmr --held
