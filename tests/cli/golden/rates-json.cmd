# members: interval time start_ns end_time seconds partial events_lost events_lost_max loadavg covered not_covered caches
# members: {rows,sum}.{cache,cache_by_size,allocations,bytes_allocated,frees}
# members: {rows,sum}.{busiest_process,busiest_process_percent}
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -i r.kmr 0.25 --json --columns +free,+procs
