# shows: Not accurate
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | MODULE CALLSITE
kmalloc-top --import=allocinfo held/7.2/allocinfo.after -t 4 -s bytes --human
kmalloc-top --import=allocinfo held/7.2/allocinfo.after -q --include='[binfmt_misc]' --by=module,callsite
