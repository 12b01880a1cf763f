# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CALLSITE
kmalloc-top -q -i import/perf_script_tracers.txt; kmalloc-top -q --by=callsite -i import/perf_script_tracers.txt
