# Objects were allocated, and none is held: no sentence without its middle, and not "no allocation was seen".
fixture leak >"$WORK/leak.kmr"
why() { kmalloc-top --held -q -i "$WORK/leak.kmr" --min-age=3600 "$@" | sed -n 's/^Nothing to show: //p'; }
why --by=process; why --by=process -m 3; why
