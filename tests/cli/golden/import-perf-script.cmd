# shows: Command; Lost
# columns: requested allocated wasted
kmalloc-top -i import/perf_script.txt --details
