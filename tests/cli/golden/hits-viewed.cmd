# A recording is ranked and grouped as its live run was, unless options say otherwise; of several, as the first one. What
# is not known there has no effect.
# columns: HITS SHARE% VALUE | POINT THREAD PROCESS
for view in "count point" "value thread,process" "count ''" "max point" "requested cache" "count nonsense"; do
  eval "set -- $view"; echo "== $*"; fixture hits-viewed "$1" "$2" >"$WORK/r.kmr"; stack-top -i "$WORK/r.kmr" -q -t 2 | sed '/^$/,$d' | head -n 2
done
fixture hits-viewed count point >"$WORK/r.kmr"
stack-top -i "$WORK/r.kmr" -q -s value --by=process | sed '/^$/,$d'
stack-top -i "$WORK/r.kmr" --format=json | grep -oE '"(sort|by)":[^{]*,"' | sed 's/,"$//'
fixture spans >"$WORK/s.kmr"; fixture hits-viewed value process >"$WORK/t.kmr"
stack-top -i "$WORK/r.kmr" -i "$WORK/s.kmr" -i "$WORK/t.kmr" -q 2>/dev/null | sed '/^$/,$d'
