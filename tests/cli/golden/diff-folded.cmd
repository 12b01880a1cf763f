# The same figures for flame graphs; whole-json and whole-rows show the others.
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 2 --format=folded
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr -t 2 --format=folded --per=run
