kmalloc-top -t 3 -m 2 -e ext3 -I kernel -i import/hashkey.txt
