# The same run, read twice.
kmalloc-top -q -i ../../examples/mixed.kmr --diff=../../examples/../examples/mixed.kmr --by=process -t 1
