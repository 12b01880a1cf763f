# The figures of `perf kmem stat --caller` for the same data; and those tables by function.
ours() {
  kmalloc-top --held -q -s allocated --by=stack -i import/perf_kmem.txt |
    awk '/\+0x/ { gsub(/,/, ""); sub(/\+0x/, "+"); sub(/ s  /, "  "); print $NF, $7, $11, $12, $10 }' | sort
}
theirs() {
  awk -F '[|/]' '/\+[0-9a-f]+ +\|/ { gsub(/ /, ""); print $1, $6, $4, $2, $7 }' import/perf_kmem.stat | sort
}
theirs
diff <(ours) <(theirs) && echo equal
for key in allocated cross-cpu run-waste; do
  kmalloc-top --held -q -s "$key" --by=callsite -i import/perf_kmem.txt | sed '/^$/q'
done
kmalloc-top --held -s run-waste --sample=2 -c true
kmalloc-top -s run-bytes -i import/perf_kmem.txt
