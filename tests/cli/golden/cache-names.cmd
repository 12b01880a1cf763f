# Of a run that compared the names of slab caches, without and with a difference.
for different in 0 2; do
  fixture cgroups | fixture names 1204 $different >"$WORK/names.kmr"
  kmalloc-top -i "$WORK/names.kmr" -q | grep -c 'Total'
  echo "${PIPESTATUS[0]}"
  slabstack '*' -i "$WORK/names.kmr" -q | grep -c 'Total'
  echo "${PIPESTATUS[0]}"
  slabratetop -i "$WORK/names.kmr" -q | grep '^lost'
  echo "${PIPESTATUS[0]}"
done
