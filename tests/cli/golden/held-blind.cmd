# Where functions that free are not observed, nothing is certain or bounded, and /proc/slabinfo decides what can be held.
# shows: Held; Doubtful; Compared with /proc/slabinfo; Not paired; Frees not observed
fixture leak-blind >"$WORK/leak.kmr"
kmalloc-top --held -i "$WORK/leak.kmr"
kmalloc-top --held -i "$WORK/leak.kmr" --format=json | grep -oE '"(held_doubtful[a-z_]*|frees_not_seen)":[^,]*|"held_compared":[^]]*|"doubtful":[0-9]*'
kmalloc-top --held -i "$WORK/leak.kmr" --by=cache --format=csv | cut -d, -f8,9,22-
slabstack --held -i "$WORK/leak.kmr" 'filp,dentry,maple_node' | head -6
