for words in "-i import/hashkey.txt -q" --version; do kmalloc-top $words <&- >&-; echo "status $?" >&2; done; kmalloc-top -i - <&-; echo "status $?" >&2; kmalloc-top -i missing 2>&-
