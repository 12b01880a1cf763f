# shows: Bytes
# columns: requested allocated wasted
kmalloc-top -i import/perf_script_period.txt
