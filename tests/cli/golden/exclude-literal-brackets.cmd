kmalloc-top -i import/hashkey.txt -e '[ext3]' -q
