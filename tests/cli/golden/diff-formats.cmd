# The same figures for programs.
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 -s bytes --by=process --format=json | sed 's/"facts":{[^{}]*\({[^{}]*}[^{}]*\)*},//; s/"old_facts":{[^{}]*\({[^{}]*}[^{}]*\)*},//'
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 --format=ndjson --no-host
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 1 --by=process --format=csv --per=run
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 2 --format=folded
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 2 --format=folded --per=run
