# Rows for databases: of stacks, of a table, of the held objects, of a list of hits, of intervals.
kmalloc-top -i ../../examples/mixed.kmr -t 2 --format=ndjson
kmalloc-top -i ../../examples/mixed.kmr -t 2 --by=process,cache --format=csv
slabstack size-32 -i ../../examples/mixed.kmr -t 1 --format=csv --no-host
fixture rates-held >"$WORK/h.kmr" && kmalloc-top --held -i "$WORK/h.kmr" -t 1 --format=ndjson
fixture hits | stack-top -i - -t 1 --format=csv
fixture rates >"$WORK/r.kmr" && slabratetop -i "$WORK/r.kmr" --format=csv -r 1 0.5 2
