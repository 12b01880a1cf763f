# Counters of a run: hostile names, frees, a loss; a second exposition behind the first; held objects; a sample of
# addresses, of which only those are known; a recording; estimates.
fixture rates >"$WORK/r.kmr" && slabratetop -i "$WORK/r.kmr" --format=prometheus 10
slabratetop -i "$WORK/r.kmr" --format=prometheus --cache=dentry 0.5 2>&1 | grep -E '^$|^slabratetop_(allocations|observed)'
fixture rates-held >"$WORK/h.kmr" && slabratetop -i "$WORK/h.kmr" --held --format=prometheus 0.5 | grep -E '^$|^slabratetop_.*(frees|held|in_use)'
fixture sample 4 <"$WORK/h.kmr" >"$WORK/s.kmr" && slabratetop -i "$WORK/s.kmr" --held --format=prometheus 10 | grep ^slabratetop
slabratetop -i ../../examples/mixed.kmr --format=prometheus 10 | grep -E '_info|kmalloc-64'
fixture rates | fixture throttle 4 | slabratetop -i - --format=prometheus 10 2>&1 | grep -E '^slabratetop.*(period|dentry|:)'
