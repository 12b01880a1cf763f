# shows: Lost
fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -i r.kmr 0.25
