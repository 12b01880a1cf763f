ln -s /etc/passwd $WORK/link; kmalloc-top -i import/hashkey.txt -O $WORK/link.part/x; ln -sf $WORK/elsewhere $WORK/l2.part; kmalloc-top -i import/hashkey.txt -O $WORK/l2; ls $WORK | grep elsewhere
