# What is held is compared as it is; hits of probe points by their time.
fixture leak >"$WORK/new.kmr" && fixture rates-held >"$WORK/old.kmr" && kmalloc-top --held -i "$WORK/new.kmr" --diff="$WORK/old.kmr" --by=callsite | sed '/^Old/,$d'
fixture spans >"$WORK/spans.kmr" && stack-top -i "$WORK/spans.kmr" --diff="$WORK/spans.kmr" -s time -t 1 | sed '/^Old/,$d'
stack-top -i "$WORK/spans.kmr" --diff="$WORK/spans.kmr" -s max -t 1 --by=point | sed '/^Old/,$d'
