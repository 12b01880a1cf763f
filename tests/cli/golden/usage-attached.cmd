kmalloc-top -t5x -d 1; kmalloc-top -e -t -t1 -d; kmalloc-top -qz5
