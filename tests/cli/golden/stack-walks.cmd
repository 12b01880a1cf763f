# shows: Stack walks compared; Stack walks
# Of a run that compared walks of stacks, without and with a difference.
for different in 0 2; do
  fixture cgroups | fixture walks 1204 $different >"$WORK/walks.kmr"
  for options in '' --details; do
    kmalloc-top -i "$WORK/walks.kmr" -q $options | grep '^Stack walks'
    echo "${PIPESTATUS[0]}"
  done
  kmalloc-top -i "$WORK/walks.kmr" -q --details 2>/dev/null | kmalloc-top -i - -q >/dev/null
  echo $?
  kmalloc-top -i "$WORK/walks.kmr" --info | grep '^Stack walks'
  slabstack '*' -i "$WORK/walks.kmr" -q | grep '^Stack walks'
  echo "${PIPESTATUS[0]}"
  slabratetop -i "$WORK/walks.kmr" -q | grep '^lost'
  echo "${PIPESTATUS[0]}"
  kmalloc-top -i "$WORK/walks.kmr" --format=json | grep -o '"[a-z_]*walks[a-z_]*":[^,]*,'
  slabratetop -i "$WORK/walks.kmr" --format=json | grep -o '"[a-z_]*walks[a-z_]*":[^,]*,'
done
