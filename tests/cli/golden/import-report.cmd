kmalloc-top -i import/report.txt
