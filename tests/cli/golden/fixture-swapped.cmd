fixture i686 | kmalloc-top -i - --details >"$WORK/a"; fixture i686 | fixture swap | kmalloc-top -i - --details >"$WORK/b"; cmp "$WORK/a" "$WORK/b" && echo the same report
