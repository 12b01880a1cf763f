kmalloc-top -i import/hashkey.txt -qt1 -etcp_ && kmalloc-top -iimport/hashkey.txt -q -m10 -t1
