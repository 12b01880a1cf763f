kmalloc-top -o report.txt
