# shows: Larger, not shown; Shrunk, not shown
printf '%s\n' 'allocinfo - version: 1.0' '1000 2 a.c:1 func:grows' '500 5 a.c:2 func:shrinks' '300 3 a.c:3 func:swells' >"$WORK/1"
printf '%s\n' 'allocinfo - version: 1.0' '1500 3 a.c:1 func:grows' '400 4 a.c:2 func:shrinks' '900 3 a.c:3 func:swells' >"$WORK/2"
kmalloc-top --import=allocinfo "$WORK/1" "$WORK/2"
