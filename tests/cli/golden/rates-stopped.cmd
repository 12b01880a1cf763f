# columns: ALLOCS BYTES | CACHE
fixture rates | head -c 12000 | slabratetop -q -i - -r 1 0.25 1
