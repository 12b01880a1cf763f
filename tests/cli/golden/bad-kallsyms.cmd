echo nonsense > $WORK/bad; fixture s390x | kmalloc-top -i - --kallsyms $WORK/bad
