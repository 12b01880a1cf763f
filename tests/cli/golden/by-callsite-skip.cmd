# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CALLSITE
kmalloc-top -i ../../examples/mixed.kmr --by=callsite --callsite-skip=default,p9_fcall_init -t 4 -q | sed '/^$/,$d'
