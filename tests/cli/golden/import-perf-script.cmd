# shows: Command; Lost
kmalloc-top -i import/perf_script.txt --details
