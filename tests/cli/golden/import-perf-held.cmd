# What a text of perf script holds; one with a kind of frees missing; one without any.
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST ALLOCATED FREED FREED<1ms CROSS-CPU PEAK-BYTES DOUBTFUL | CALLSITE
kmalloc-top -q --held -i import/perf_kmem.txt --by=callsite | sed '/^Verdict:/,/^$/d' | sed /^$/q
kmalloc-top --held -i import/perf_kmem.txt | grep '^Frees not'
grep -v kmem:kmem_cache_free: import/perf_kmem.txt >"$WORK/no-cache-frees"
kmalloc-top --held -i "$WORK/no-cache-frees"
slabstack --held -i import/perf_script_large.txt filp
