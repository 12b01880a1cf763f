# Rows for databases with all columns: of stacks, of a table, of the held objects, of a list of hits, of intervals, of a
# comparison.
kmalloc-top -i ../../examples/mixed.kmr -t 2 --format=ndjson
kmalloc-top -i ../../examples/mixed.kmr -t 2 --by=process,cache --format=csv
slabstack size-32 -i ../../examples/mixed.kmr -t 1 --format=csv --no-host
fixture rates-held >"$WORK/h.kmr" && kmalloc-top --held -i "$WORK/h.kmr" -t 1 --format=ndjson
fixture hits | stack-top -i - -t 1 --format=csv
fixture rates >"$WORK/r.kmr" && slabratetop -i "$WORK/r.kmr" --format=csv -r 1 0.5 2
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 --format=ndjson --no-host
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 --by=process --format=csv --per=run
