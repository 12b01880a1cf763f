kmalloc-top -i import/hashkey.txt -I tcp_ -q
