# shows: Run; Part
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES ALLOCS BYTES | CACHE
cd import && kmalloc-top -q -i perf_script_times.txt --by=cache --from 0.55 --to 1; slabstack filp -q -i perf_script_times.txt -t 2; kmalloc-top -i perf_script_times.txt --info; kmalloc-top -q -i perf_script_times.txt --from 2; slabratetop -q -i perf_script_times.txt --from 0.5 --cache "kmalloc-cg-*"; kmalloc-top -i hashkey.txt --to 1
