fixture s390x | kmalloc-top -i - --by=process,callsite -q | sed "/^\$/,\$d"
