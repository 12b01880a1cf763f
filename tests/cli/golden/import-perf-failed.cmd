# shows: Failed allocations (NULL), not counted above
kmalloc-top -i import/perf_script_failed.txt --details
