# shows: Cache names compared
# Of a run that compared the names of slab caches, without and with a difference.
for different in 0 2; do
  fixture cgroups | fixture names 1204 $different >"$WORK/names.kmr"
  for options in '' --details; do
    kmalloc-top -i "$WORK/names.kmr" -q $options | grep '^Cache names'
    echo "${PIPESTATUS[0]}"
  done
  kmalloc-top -i "$WORK/names.kmr" --info | grep '^Cache names'
  slabstack '*' -i "$WORK/names.kmr" -q | grep '^Cache names'
  echo "${PIPESTATUS[0]}"
  slabratetop -i "$WORK/names.kmr" -q | grep '^lost'
  echo "${PIPESTATUS[0]}"
  kmalloc-top -i "$WORK/names.kmr" --format=json | grep -o '"names_[cd][a-z]*":[^,]*,'
  slabratetop -i "$WORK/names.kmr" --format=json | grep -o '"names_[cd][a-z]*":[^,]*,'
done
