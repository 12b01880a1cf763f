# What was held at the peak; what is held for longer; what was only freed.
# shows: Held at the peak; Held for 2.000 s or longer
fixture leak >"$WORK/leak.kmr"
kmalloc-top -q --held --peak -i "$WORK/leak.kmr" -t 1
kmalloc-top -q --held --min-age=2 -i "$WORK/leak.kmr"
kmalloc-top -q --held -s short-lived -t 1 -i "$WORK/leak.kmr" | sed '/^Verdict:/,/^$/d' | sed /^$/q
