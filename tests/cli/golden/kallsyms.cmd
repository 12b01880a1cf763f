printf 'ffffffff80000000 T some_symbol\nffffffff90000000 T last\n' > $WORK/syms; fixture s390x | kmalloc-top -i - -q --kallsyms $WORK/syms
