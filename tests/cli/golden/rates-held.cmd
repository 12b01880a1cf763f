# What is held at the end of each interval, also of caches without events; then totals of a sample of addresses, whose
# allocations are not known.
fixture rates-held >"$WORK/h.kmr" && fixture sample 4 <"$WORK/h.kmr" >"$WORK/s.kmr" && fixture rates >"$WORK/r.kmr" && cd "$WORK" && slabratetop -q -i h.kmr --held .25; slabratetop -q -i h.kmr -s held --cache=dentry,filp .5; slabratetop -q -i h.kmr --held -s bytes --columns=+net,+procs --process=find 2; slabratetop -q -i s.kmr --held --columns=+procs 2; slabratetop -i s.kmr --json --held 2; slabratetop -q -i r.kmr --held
