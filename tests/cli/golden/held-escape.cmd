# Names of files and caches, and frames, come from somebody else.
# columns: HELD SHARE% OLDEST | CACHE STACK
mkdir "$WORK/copy"
printf '  3 f\033[2J+0x1/0x2 age=1 pid=1\njunk\n' >"$WORK/copy/$(printf 'a\033[31m').alloc_traces"
kmalloc-top --import=alloc_traces "$WORK/copy" -q --by=cache,stack
