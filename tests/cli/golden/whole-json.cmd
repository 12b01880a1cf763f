# JSON with all members: stacks, a table, hits, a text and what a report lacks that comes from it, what is held, an
# interval, a comparison (without facts).
set -o pipefail
fixture s390x | kmalloc-top -i - -t 2 -e tcp_ --format=json; echo "status $?"
zstd -dc ../../examples/mixed.kmr | fixture throttle 8 >$WORK/s && kmalloc-top -i $WORK/s --no-host -t 2 --by=process,cache --sort=waste --format=json; echo "status $?"
fixture hits | stack-top -i - --format=json -t 2; echo "status $?"
kmalloc-top -i import/perf_script.txt -t 1 --format=json; kmalloc-top -i import/perf_script.txt --info --format=json; echo "status $?"
fixture rates-held >"$WORK/h.kmr" && kmalloc-top --held -i "$WORK/h.kmr" -t 1 --no-host --format=json; echo "status $?"
fixture rates >"$WORK/r.kmr" && slabratetop -q -i "$WORK/r.kmr" 0.5 1 --format=json; echo "status $?"
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 -s bytes --by=process --format=json | sed 's/"facts":{[^{}]*\({[^{}]*}[^{}]*\)*},//; s/"old_facts":{[^{}]*\({[^{}]*}[^{}]*\)*},//'; echo "status $?"
