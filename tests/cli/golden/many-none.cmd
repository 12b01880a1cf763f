mkdir -p $WORK; cd $WORK; kmalloc-top -i $PWD/../none -i /dev/null 2>&1 | sed "s,/[^ ]*/,,"
