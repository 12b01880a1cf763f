# shows: Bytes
# columns: requested allocated wasted
kmalloc-top -i import/perf_script_large.txt; kmalloc-top -q -i import/perf_script_large_flat.txt
