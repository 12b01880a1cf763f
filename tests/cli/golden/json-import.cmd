kmalloc-top -i import/perf_script.txt -t 1 --format=json; kmalloc-top -i import/perf_script.txt --info --format=json
