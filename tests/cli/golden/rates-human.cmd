# columns: ALLOCS BYTES | CACHE
slabratetop -q -i ../../examples/mixed.kmr -r 3 --human; slabratetop -q -i ../../examples/mixed.kmr -r 1 --human --json | grep -o "\"bytes_allocated\":[0-9]*"
