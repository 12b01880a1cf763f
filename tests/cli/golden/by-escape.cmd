# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES FAILED | PROCESS CALLSITE
fixture s390x | kmalloc-top -i - --by=process,callsite -q | sed "/^\$/,\$d"
