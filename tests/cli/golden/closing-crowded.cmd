# shows: Full tables; Memory
fixture crowded | kmalloc-top -i - -q --max-memory 16 -t 1 --by=process,cache
