for words in "-I x" "-m 3" "-s bytes" "--events kmalloc" "--stacks=none" "--max-memory 64" "--all filp" "--all -i x"; do slabstack $words; done
