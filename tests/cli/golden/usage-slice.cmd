for words in "-i x --from 2 --to 1" "-i x --from 1 --to 1" "-i x --from=-1" "-i x --to y" "--from 1" "-i x --info --to 1"; do kmalloc-top $words; done
