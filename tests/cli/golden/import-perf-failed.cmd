# shows: Failed allocations (NULL), not counted above; Page size
kmalloc-top -i import/perf_script_failed.txt --details
