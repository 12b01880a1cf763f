# Where functions that free are not observed, nothing is certain or bounded, and /proc/slabinfo decides what can be held.
# shows: Held; Doubtful; Compared with /proc/slabinfo; Not paired; Frees not observed
# members: lost_events_max cache bytes_requested_in_run bytes_allocated_in_run bytes_wasted_in_run peak_bytes doubtful
fixture leak-blind >"$WORK/leak.kmr"
kmalloc-top --held -i "$WORK/leak.kmr"
kmalloc-top --held -i "$WORK/leak.kmr" --format=json | grep -oE '"(held_doubtful[a-z_]*|frees_not_seen)":[^,]*|"held_compared":[^]]*|"doubtful":[0-9]*'
kmalloc-top --held -i "$WORK/leak.kmr" --by=cache --format=csv
slabstack --held -i "$WORK/leak.kmr" 'filp,dentry,maple_node' | sed '/^Verdict:/,/^$/d' | head -6
