# shows: Page size
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CACHE
for size in "" --page-size=4K; do kmalloc-top -q --by=cache -i import/perf_script_ppc64le.txt $size; done; kmalloc-top -q -i ../../examples/mixed.kmr --page-size=4K; kmalloc-top --page-size=4K; kmalloc-top -i - --page-size=5000
