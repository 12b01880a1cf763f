# Rows for databases with all columns: of stacks, of a table, of the held objects, of a list of hits, of intervals, of a
# comparison.
set -o pipefail
kmalloc-top -i ../../examples/mixed.kmr -t 2 --format=ndjson; echo "status $?"
kmalloc-top -i ../../examples/mixed.kmr -t 2 --by=process,cache --format=csv; echo "status $?"
slabstack size-32 -i ../../examples/mixed.kmr -t 1 --format=csv --no-host; echo "status $?"
fixture rates-held >"$WORK/h.kmr" && kmalloc-top --held -i "$WORK/h.kmr" -t 1 --format=ndjson; echo "status $?"
fixture hits | stack-top -i - -t 1 --format=csv; echo "status $?"
fixture rates >"$WORK/r.kmr" && slabratetop -i "$WORK/r.kmr" --format=csv -r 1 0.5 2; echo "status $?"
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 --format=ndjson --no-host; echo "status $?"
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 --by=process --format=csv --per=run; echo "status $?"
