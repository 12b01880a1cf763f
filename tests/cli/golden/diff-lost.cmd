# The loss of either run counts, here that of the old one.
head -c 600000 ../../examples/mixed.kmr >"$WORK/cut.kmr" && kmalloc-top -q -i ../../examples/mixed.kmr --diff="$WORK/cut.kmr" --per=run --by=process -t 1 2>&1 >"$WORK/out"; status=$?; sed "s|$WORK|WORK|" "$WORK/out"; (exit $status)
