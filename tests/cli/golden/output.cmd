kmalloc-top -i import/hashkey.txt -O $WORK/report -q -t 1; echo "status $?"; stat -c %a $WORK/report; cat $WORK/report; ls $WORK | grep part
