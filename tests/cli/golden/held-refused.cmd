# What would give a wrong ranking is refused: frees are missing, or allocations are a sample of addresses.
fixture rates >"$WORK/r.kmr" && fixture rates-held | fixture sample 4 >"$WORK/s.kmr" && cd "$WORK" && for words in 'kmalloc-top -i r.kmr --held' 'slabstack filp -i r.kmr --held' 'kmalloc-top -i s.kmr' 'slabstack filp -i s.kmr' 'slabratetop -i s.kmr'; do $words; echo "status $?"; done
