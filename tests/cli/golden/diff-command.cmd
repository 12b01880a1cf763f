# The work of a command is the same, however long it takes: whole runs are compared, unless --per says otherwise.
fixture change 1 command-old >"$WORK/old.kmr" && fixture change 1 command-new >"$WORK/new.kmr"
kmalloc-top -i "$WORK/new.kmr" --diff="$WORK/old.kmr" --by=process -t 2 | sed '/^Old/,$d'
kmalloc-top -i "$WORK/new.kmr" --diff="$WORK/old.kmr" --by=process -t 2 --per=second | sed '/^Old/,$d'
# A run of a command and one without are compared per second.
fixture change 1 old >"$WORK/host.kmr"
kmalloc-top -i "$WORK/new.kmr" --diff="$WORK/host.kmr" --by=process -t 2 | sed '/^Old/,$d'
