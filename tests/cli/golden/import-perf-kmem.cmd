# The figures of `perf kmem stat --caller` for the same data; and those tables by function.
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST ALLOCATED FREED FREED<1ms CROSS-CPU RUN-REQUESTED RUN-ALLOCATED RUN-WASTED PEAK-BYTES DOUBTFUL | CALLSITE
ours() {
  kmalloc-top --held -q -s allocated --by=stack -i import/perf_kmem.txt |
    awk '/^ *HELD / { for (i = 1; i <= NF; i++) at[$i] = i }
      /\+0x/ { gsub(/,/, ""); sub(/\+0x/, "+"); sub(/ s  /, "  ")
        print $NF, $at["ALLOCATED"], $at["RUN-REQUESTED"], $at["RUN-ALLOCATED"], $at["CROSS-CPU"] }' | sort
}
theirs() {
  awk -F '[|/]' '/\+[0-9a-f]+ +\|/ { gsub(/ /, ""); print $1, $6, $4, $2, $7 }' import/perf_kmem.stat | sort
}
theirs
diff <(ours) <(theirs) && echo equal
for key in allocated cross-cpu run-waste; do
  kmalloc-top --held -q -s "$key" --by=callsite -i import/perf_kmem.txt | sed '/^Verdict:/,/^$/d' | sed /^$/q
done
kmalloc-top --held -s run-waste --sample=2 -c true
kmalloc-top -s run-bytes -i import/perf_kmem.txt
