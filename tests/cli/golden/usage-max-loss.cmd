for percent in -1 100.1 many nan 0x1 ''; do kmalloc-top --max-loss="$percent"; done
