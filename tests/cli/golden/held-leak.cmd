# A leak, a working set, churn: the growth test tells them apart, and a cache without frees is left out.
# shows: Held; Ages of the objects shown; Peak; Not paired; Frees not seen; Checks
fixture leak >"$WORK/leak.kmr"
kmalloc-top --held -i "$WORK/leak.kmr"
