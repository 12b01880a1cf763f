# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | LINE
unset DEBUGINFOD_URLS; kmalloc-top -i ../../examples/mixed.kmr --lines -t 1 --by=line; kmalloc-top -i ../../examples/mixed.kmr --missing-debuginfo; kmalloc-top -i import/perf_script.txt --lines -t 1 -q; kmalloc-top -i import/perf_script.txt --missing-debuginfo
