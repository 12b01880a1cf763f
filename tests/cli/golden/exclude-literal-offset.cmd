kmalloc-top -i import/hashkey.txt -e tcp_sendmsg+0x184 -q
