# What finds no room is in the total, and no share of loss exceeds all.
awk 'BEGIN { for (i = 0; i < 60000; i++) { printf "%d w_%d+0x1/0x2 age=5 pid=1\n", 1000 + i, i; for (k = 0; k < 10; k++) printf " w_%d_%d+0x1/0x2\n", i, k; print "" } }' >"$WORK/kmalloc-64.alloc_traces"
kmalloc-top -q --import=alloc_traces "$WORK/kmalloc-64.alloc_traces" --max-memory=16 | grep '^Total held objects (b' 
kmalloc-top --import=alloc_traces "$WORK/kmalloc-64.alloc_traces" --max-memory=16 --format=json -O "$WORK/json" 2>"$WORK/err"
sed 's/.*"events_counted":\([0-9]*\).*"lost_events":{"low":\([0-9]*\).*/\1 \2/' "$WORK/json" | awk '{ print $1, ($2 > 0 && $2 < $1 ? "less is lost" : "wrong") }'
