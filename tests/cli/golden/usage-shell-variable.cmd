kmalloc-top -c 'FOO=1 find'
