kmalloc-top -i import/hashkey.txt --exclude-regex 'tcp_.*msg' -q
