# shows: Recorded
# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | PROCESS
mkdir -p $WORK; cd $WORK; fixture slab-part >a.kmr; fixture slab-part | sed 's/filp\tvm_area_struct/filp\tvm_area_fields/' >b.kmr; fixture slab-part | sed 's/filp\tvm_area_struct/pipe\tvm_area_fields/' >c.kmr; kmalloc-top -q -i a.kmr -i b.kmr --by=process; kmalloc-top -q -i . --by=process
