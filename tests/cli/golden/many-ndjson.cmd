# members: host boot_id kernel_release architecture run_start_time duration_seconds lost_events lost_events_max
# members: frames process cache cgroup callsite allocations share_percent bytes_requested bytes_allocated bytes_wasted
# members: allocations_failed
mkdir -p $WORK; fixture cgroups >$WORK/a.kmr; fixture leak >$WORK/b.kmr; fixture s390x >$WORK/c.kmr; cd $WORK; kmalloc-top -i a.kmr -i c.kmr --format=ndjson -t 2
