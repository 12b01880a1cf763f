# The rows of a kernel's log come as late as the kernel ran out of memory: beyond the first 64 KiB. A log without them, or another long text, has none.
long() { awk 'BEGIN { for (i = 0; i < 3000; i++) printf "[%5d.104511] some line of a log, of a time before\n", i }'; }
{ long; cat held/made/oom.log; } >"$WORK/log"; kmalloc-top -q --import=allocinfo "$WORK/log" -t 1
long >"$WORK/log"; kmalloc-top -q --import=allocinfo "$WORK/log"
