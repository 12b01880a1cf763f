# Where one run lacks source lines, functions that were inlined are left out of stacks; where both have some, they count.
plain() { printf 'This path seen %s times:\n 0xffffffff81000210 : __kmalloc+0x10/0x90 [kernel]\n 0xffffffff81000310 : alloc_pipe_info+0x5c/0x220 [kernel]\n 0xffffffffc0000310 : fill+0x1/0x2 [pipe]\n\n' "$1"; }
lines() { printf 'This path seen %s times:\n 0xffffffff82000210 : __kmalloc+0x20/0x90 [kernel] mm/slab_common.c:1029\n 0xffffffff82000310 : kzalloc (inlined) [kernel] include/linux/slab.h:%s\n 0xffffffff82000310 : alloc_pipe_info+0x6c/0x220 [kernel] fs/pipe.c:795\n 0xffffffffc0000310 : fill+0x1/0x2 [pipe]\n\n' "$1" "$2"; }
plain 100 >"$WORK/plain"; lines 300 700 >"$WORK/lines"; lines 310 699 >"$WORK/more"
kmalloc-top -i "$WORK/lines" --diff="$WORK/plain" | sed '/^Old/,$d'
kmalloc-top -i "$WORK/plain" --diff="$WORK/lines" | sed '/^Old/,$d'
kmalloc-top -i "$WORK/more" --diff="$WORK/lines" | sed '/^Old/,$d'
