# columns: ALLOCS BYTES FREES | CACHE PROCS
cd import && slabratetop -q -i perf_script_times.txt 0.5 -r 3 --columns=+procs,+free
