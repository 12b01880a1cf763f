fixture s390x | (ulimit -f 0; kmalloc-top -q -i - -O $WORK/report 2>&1; echo "? $?") | sed "s|$WORK|WORK|"
