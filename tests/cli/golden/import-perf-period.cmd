# shows: Bytes
kmalloc-top -i import/perf_script_period.txt
