seq 120000 | awk '{ print "f" $1 "_____________________________________________________+0x1\n main+0x2"; print 1 }' | kmalloc-top -i - --max-memory 16 -q -t 1
