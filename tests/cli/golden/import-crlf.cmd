sed 's/$/\r/' import/counted.txt | kmalloc-top -i - -q
