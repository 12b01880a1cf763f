# shows: Failed allocations (NULL), not counted above; Page size
# columns: requested allocated wasted
kmalloc-top -i import/perf_script_failed.txt --details
