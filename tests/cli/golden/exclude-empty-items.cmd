kmalloc-top -i import/hashkey.txt -e ,tcp_,
