kmalloc-top -i import/hashkey.txt -e tcp_,ext3
