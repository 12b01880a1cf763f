# What is said of this host is its own; of what was asked it is the same everywhere.
kmalloc-top --check --record $WORK/none/r.kmr --module $WORK/none.ko -O $WORK/r.txt --kallsyms /proc/version -- true > $WORK/check
status=$?
sed -n -E -e "s|$WORK|WORK|g" -e '/^(ok  |note|FAIL)  (Collector|Recording|Command|Report file|Symbols):/p' $WORK/check
echo "other lines: $(grep -v -c -E '^(ok  |note|FAIL)  [A-Z][A-Za-z ]*: +[^ ]|^A run would not start: [0-9]+ of the above (is|are) in its way\.$' $WORK/check)"
ls $WORK
exit $status
