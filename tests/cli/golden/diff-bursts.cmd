# Each action makes eight allocations: numbers that differ by more than if events were independent are no change.
# members: diff.{rows_compared,rows_beyond_noise,rows_unclear} diff.rows.{frames,change,change_percent,allocations}
# members: diff.rows.{bytes_requested,bytes_allocated,bytes_wasted,allocations_failed} diff.others
# members: diff.all.{change,change_percent,allocations}
fixture change 3 bursts-old >"$WORK/old.kmr" && fixture change 3 bursts-new >"$WORK/new.kmr"
kmalloc-top -i "$WORK/new.kmr" --diff="$WORK/old.kmr" --by=process | sed '/^Old/,$d'
kmalloc-top -i "$WORK/new.kmr" --diff="$WORK/old.kmr" --by=cache -s bytes -t 3 --human | sed '/^Old/,$d'
# Events at one moment show nothing about how they come: the change is unclear, not more or less.
kmalloc-top -i ../../examples/mixed.kmr --diff=../../examples/growth.kmr --by=process -t 3 | sed '/^Old/,$d'
# Text without times.
printf 'This path seen 100 times:\n 0xffffffff81000210 : __kmalloc+0x10/0x90 [kernel]\n 0xffffffff81000310 : fill+0x5c/0x220 [kernel]\n\n' >"$WORK/old"
sed 's/100/300/' "$WORK/old" >"$WORK/new"
kmalloc-top -i "$WORK/new" --diff="$WORK/old" | sed '/^Old/,$d'
kmalloc-top -i "$WORK/new" --diff="$WORK/old" --format=json
