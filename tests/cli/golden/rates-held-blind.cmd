# Where functions that free are not observed, a table says so, and compares with /proc/slabinfo as kmalloc-top does.
# Caches whose frees are mostly not seen hold nobody knows what.
# columns: ALLOCS BYTES HELD HELD-BYTES | CACHE
fixture leak-blind >"$WORK/leak.kmr" && cd "$WORK" && slabratetop -i leak.kmr --held 4 | grep -v ^Covered; slabratetop --format=json -i leak.kmr --held --cache=filp 8 | grep -oE '"frees_not_seen.*'; fixture leak >whole.kmr; slabratetop -q -i whole.kmr --held 8 | grep -E '^CACHE|maple|Compared|Not paired'
