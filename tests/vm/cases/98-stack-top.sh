# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 5.10-stap5.6
# Of any probe point, known work is counted to the last hit, at its user stack, with its sums and times; a
# bpftrace at the same time has the same figures, and perf the same frames.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"

readonly brks=300 touched=500 maps=200 map_bytes=123000 huge=40 segments=50 pages=300 sleeps=25 mallocs=400
# What the workload asks huge pages for.
readonly huge_bytes=$((4 << 20))

known_kinds brk touch map hugepage shm pages sleep malloc

# The second opinion, on the same work in the same runs.
counted_started '
	tracepoint:syscalls:sys_enter_brk / strncmp(comm, "known-", 6) == 0 / { @brk[comm] = count(); }
	software:page-faults:1 / strncmp(comm, "known-", 6) == 0 / { @faults[comm] = count(); }
	tracepoint:syscalls:sys_enter_mmap / args->flags & 0x20 / { @mmap[comm] = sum(args->len); }
	tracepoint:syscalls:sys_enter_madvise / args->behavior == 14 / { @hugepage[comm] = sum(args->len_in); }
	tracepoint:syscalls:sys_enter_shmget, tracepoint:syscalls:sys_enter_shmat,
	tracepoint:syscalls:sys_enter_shmdt, tracepoint:syscalls:sys_enter_shmctl { @shm[comm] = count(); }
	tracepoint:kmem:mm_page_alloc / strncmp(comm, "known-", 6) == 0 && (int64)args->pfn != -1 / {
		@pages[comm] = sum(1 << args->order); }
	tracepoint:syscalls:sys_enter_clock_nanosleep { @since[tid] = nsecs; }
	tracepoint:syscalls:sys_exit_clock_nanosleep / @since[tid] / {
		@slept[comm] = sum(nsecs - @since[tid]); delete(@since[tid]); }
	uprobe:libc:malloc / comm == "known-malloc" / { @malloc[comm] = sum(arg0); }
	uprobe:libc:calloc / comm == "known-malloc" / { @malloc[comm] = sum(arg0 * arg1); }
	uprobe:libc:realloc / comm == "known-malloc" && arg0 != 0 / { @malloc[comm] = sum(arg1); }'

known brk "$(preset brk)" -- ./known-brk brk "$brks"
brk_calls=$(report_count report)
equals 'brk: calls at the known stack' "$brks" "$(hits_at ask_for_heap report)"
has_stack 'brk' ask_for_heap move_heap plan_run main

# perf counts the same faults from outside.
if perf --version > /dev/null 2>&1; then
	known touch "$(preset faults)" -- perf stat -x , -e page-faults -o stat ./known-touch touch "$touched"
	equals 'touch: as perf stat' "$(sed -n 's/,.*page-faults.*//p' stat)" "$(report_count report)"
else
	known touch "$(preset faults)" -- ./known-touch touch "$touched"
fi
faults=$(report_count report)
equals 'touch: faults at the known stack' "$touched" "$(hits_at touch_page report)"
has_stack 'touch' touch_page touch_memory plan_run main

known map "$(preset mmap)" -- ./known-map map "$maps" "$map_bytes"
mapped=$(known_sum)
equals 'map: calls at the known stack' "$maps" "$(hits_at map_once report)"
equals 'map: bytes at the known stack' $((maps * map_bytes)) "$(sum_at map_once report)"
has_stack 'map' map_once map_memory plan_run main

known hugepage t:syscalls:sys_enter_madvise --weight=len_in --where='behavior == 14' -- \
	./known-hugepage hugepage "$huge"
huge_asked=$(known_sum)
equals 'hugepage: bytes at the known stack' $((huge * huge_bytes)) "$(sum_at ask_for_huge_page report)"
has_stack 'hugepage' ask_for_huge_page ask_for_huge_pages plan_run main

known hugepage "$(preset hugepage)" -- ./known-hugepage hugepage "$huge"
has_line 'hugepage: by point, with its bytes' \
	"^ *$huge +100 +$((huge * huge_bytes)) +syscalls:sys_enter_madvise\$" <(tr -d , < report)

known shm "$(preset shmsnoop)" -- ./known-shm shm "$segments"
for call in shmget shmat shmdt shmctl; do
	equals "shm: each $call, with its latency" "$segments" \
		"$(grep -c -E "^ *[0-9.]+ +known-shm +[0-9]+ +$call +(0x)?[0-9a-f]+ +[0-9]+ (ns|us|ms|s) " report)"
done

known pages "$(preset pages)" --with-interrupts -- ./known-pages pipe-page "$pages"
allocated=$(known_sum)
equals 'pages: at the known stack' "$pages" "$(sum_at '[a-z_]*pipe_write' report)"

profile --process=known-sleep --format=json --begin=t:syscalls:sys_enter_clock_nanosleep \
	--end=t:syscalls:sys_exit_clock_nanosleep -- ./known-sleep sleep "$sleeps"
equals 'sleep: exit status' 0 "$status"
equals 'sleep: pairs' "$sleeps" "$(sum_of_stacks allocations)"
slept=$(sum_of_stacks time_seconds)

# What a program requests from the C library, by a probe in it.
known malloc "$(preset malloc)" -c "./known-malloc malloc $mallocs 1234"
equals 'malloc: requests at the known stack' "$mallocs" "$(hits_at request_once report)"
equals 'malloc: bytes at the known stack' $((mallocs * 1234)) "$(sum_at request_once report)"
requested=$(known_sum)

counted_ended
same_as_counted 'brk' brk known-brk "$brk_calls"
same_as_counted 'touch' faults known-touch "$faults"
same_as_counted 'map' mmap known-map "$mapped"
# It has seen both runs.
same_as_counted 'hugepage' hugepage known-hugepage $((2 * huge_asked))
same_as_counted 'shm' shm known-shm $((4 * segments))
same_as_counted 'pages' pages known-pages "$allocated"
same_as_counted 'malloc' malloc known-malloc "$requested"
if [ -n "${counter:-}" ]; then
	bpf_slept=$(awk "BEGIN { print $(counted slept known-sleep) / 1e9 }")
	holds "sleep: $slept s are bpftrace's $bpf_slept s" same_time "$bpf_slept" "$slept" "$sleeps"
fi

# theirs: the frames of the workload in perf's stacks: "FUNCTION+OFFSET".
theirs()
{
	perf script -i data -F ip,sym,symoff,dso 2> /dev/null |
		sed -n -E 's/^\s*[0-9a-f]+ ([^ ]+\+0x[0-9a-f]+) \(.*\/workload\)$/\1/p' | sort -u
}

if perf --version > /dev/null 2>&1; then
	perf record -q -e syscalls:sys_enter_brk -g -o data ./known-brk brk "$brks" > /dev/null 2>&1
	equals 'frames: perf has the same' "$(theirs)" \
		"$(sed -n -E 's/^ ([^ ]+)\/0x[0-9a-f]+ \[workload\]$/\1/p' report.brk | sort -u)"
fi
