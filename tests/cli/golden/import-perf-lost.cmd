kmalloc-top -q -i import/perf_script_lost.txt
