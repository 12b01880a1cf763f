# What is held is compared as it is; hits of probe points by their time.
fixture leak >"$WORK/new.kmr" && fixture rates-held >"$WORK/old.kmr" && kmalloc-top --held -i "$WORK/new.kmr" --diff="$WORK/old.kmr" --by=callsite | sed '/^Old/,$d'
fixture spans >"$WORK/spans.kmr" && stack-top -i "$WORK/spans.kmr" --diff="$WORK/spans.kmr" -s time -t 1 | sed '/^Old/,$d'
stack-top -i "$WORK/spans.kmr" --diff="$WORK/spans.kmr" -s max -t 1 --by=point | sed '/^Old/,$d'
# The noise of a maximum is not known: "unclear" would say that independent events do not explain the change.
kmalloc-top --held -i "$WORK/new.kmr" --diff="$WORK/old.kmr" -s age --by=cache | sed '/^Old/,$d'
kmalloc-top --held -i "$WORK/new.kmr" --diff="$WORK/old.kmr" -s age --by=cache --format=json | grep -oE '"(rows_[bu][a-z_]*":[^,]*|change":"[a-z]*")'
