# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Of any probe point, known work is counted to the last hit, at its user stack, with its sums and times; a
# bpftrace at the same time has the same figures, and perf the same frames.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"

readonly brks=300 touched=500 maps=200 map_bytes=123000 huge=40 segments=50 pages=300 sleeps=25 mallocs=400
# What the workload asks huge pages for.
readonly huge_bytes=$((4 << 20))

# Each kind of work has a process name of its own, by which both tell it apart.
for kind in brk touch map hugepage shm pages sleep malloc; do
	ln -s "$(command -v workload)" "known-$kind"
done
ln -s "$(command -v cat)" known-read

# limited_by_cgroup BYTES: makes the cgroup $limited, whose processes together have no more memory.
limited_by_cgroup()
{
	local memory=/sys/fs/cgroup
	[ -e "$memory/cgroup.controllers" ] || memory=$memory/memory
	limited=$memory/known-$1-$$
	rmdir "$limited" 2> /dev/null
	[ ! -e "$memory/cgroup.controllers" ] || echo +memory > "$memory/cgroup.subtree_control"
	mkdir "$limited"
	echo "$1" > "$limited/$([ -e "$limited/memory.max" ] && echo memory.max || echo memory.limit_in_bytes)"
}
limited=''
trap 'rmdir "$limited" 2> /dev/null' EXIT
# Files of many megabytes, which must be read from where they are.
mapfile -t big_files < <(find /usr/libexec /usr/lib/gcc -type f -size +16M | head -n 2)
for file in "${big_files[@]}"; do
	dd if="$file" iflag=nocache count=0 2> /dev/null
done

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
	tracepoint:vmscan:mm_vmscan_memcg_reclaim_begin { @stalled[tid] = nsecs; }
	tracepoint:vmscan:mm_vmscan_memcg_reclaim_end / @stalled[tid] / {
		@stalls[comm] = count(); @stall_ns[comm] = sum(nsecs - @stalled[tid]); delete(@stalled[tid]); }'

# known NAME ARG…: all of the process known-NAME, which does the work. It is complete.
known()
{
	local name=$1
	shift
	profile --process="known-$name" "$@"
	is_complete "$name"
	cp report "report.$name"
}


# known_sum: the sum of all weights of ./report.
known_sum()
{
	sum_at '[^ ]+' report
}

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
equals 'touch: faults at the known stack' "$touched" "$(hits_at touch_memory report)"
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
		"$(grep -c -E "^ *[0-9.]+ +known-shm +[0-9]+ +$call +[0-9]+ +[0-9]+ (ns|us|ms|s) " report)"
done

known pages "$(preset pages)" --with-interrupts -- ./known-pages pipe-page "$pages"
allocated=$(known_sum)
equals 'pages: at the known stack' "$pages" "$(sum_at '[a-z_]*pipe_write' report)"

profile --process=known-sleep --format=json --begin=t:syscalls:sys_enter_clock_nanosleep \
	--end=t:syscalls:sys_exit_clock_nanosleep -- ./known-sleep sleep "$sleeps"
equals 'sleep: exit status' 0 "$status"
equals 'sleep: pairs' "$sleeps" "$(sum_of_stacks allocations)"
slept=$(sum_of_stacks time_seconds)

limited_by_cgroup $((16 << 20))
# shellcheck disable=SC2016 # for the shell inside
profile --process=known-read --format=json "$(preset reclaim)" -- \
	sh -c 'echo $$ > "$1/cgroup.procs"; shift; exec ./known-read "$@" > /dev/null' sh "$limited" "${big_files[@]}"
equals 'reclaim: exit status' 0 "$status"
stalls=$(sum_of_stacks allocations)
stalled=$(sum_of_stacks time_seconds)
holds "reclaim: ${stalls:-no} stalls of ${stalled:-?} s" [ "${stalls:-0}" -gt 10 ]

counted_ended
same_as_counted 'brk' brk known-brk "$brk_calls"
same_as_counted 'touch' faults known-touch "$faults"
same_as_counted 'map' mmap known-map "$mapped"
# It has seen both runs.
same_as_counted 'hugepage' hugepage known-hugepage $((2 * huge_asked))
same_as_counted 'shm' shm known-shm $((4 * segments))
same_as_counted 'pages' pages known-pages "$allocated"
same_as_counted 'reclaim' stalls known-read "$stalls"
if [ -n "${counter:-}" ]; then
	bpf_slept=$(awk "BEGIN { print $(counted slept known-sleep) / 1e9 }")
	holds "sleep: $slept s are bpftrace's $bpf_slept s" within_2_percent "$bpf_slept" "$slept"
	bpf_stalled=$(awk "BEGIN { print $(counted stall_ns known-read) / 1e9 }")
	# Where a span is as long as what bpftrace adds to it, as in a guest, this shows nothing.
	[ -e "$module" ] ||
		holds "reclaim: $stalled s are bpftrace's $bpf_stalled s" within_2_percent "$bpf_stalled" "$stalled"
fi

# What a program requests from the C library, by a probe in it.
known malloc "$(preset malloc)" -c "./known-malloc malloc $mallocs 1234"
equals 'malloc: requests at the known stack' "$mallocs" "$(hits_at request_memory report)"
equals 'malloc: bytes at the known stack' $((mallocs * 1234)) "$(sum_at request_memory report)"

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

# A program that has ended, whose file is gone or never was to be seen from here. Both stay for a moment: a
# program that nobody can open any more has no names.
mkdir gone
cat > elsewhere <<-'END'
	workload=$(command -v workload)
	cp "$workload" gone/known-gone
	gone/known-gone -k brk 30 0<> gate &
	unshare -m sh -c "mount -t tmpfs none gone && cp $workload gone/known-there && exec gone/known-there -k brk 20" 0<> gate &
	until [ "$(pgrep -c -x work-done)" = 2 ]; do sleep .1; done
	rm gone/known-gone
	sleep 1
	echo xx > gate
	wait
END
mkfifo gate
profile "$(preset brk)" -I ask_for_heap -- sh elsewhere
is_complete 'gone'
equals 'gone: stacks of a deleted program and of one elsewhere' 50 "$(hits_at ask_for_heap report)"
equals 'gone: both have all names' "$(printf 'ask_for_heap move_heap plan_run main')" \
	"$(frames_at ask_for_heap report | head -n 4 | sed 's/+.*//' | paste -s -d ' ')"

# The same program over and over, at other addresses each time.
runs=200
[ ! -e "$module" ] || runs=40
profile --process=known-touch t:raw_syscalls:sys_enter -U --format=json -c './known-touch touch 50'
one=$(fact stacks_after_filters)
profile --process=known-touch t:raw_syscalls:sys_enter -U --format=json -- \
	sh -c "for i in \$(seq $runs); do ./known-touch touch 50; done"
many=$(fact stacks_after_filters)
holds "$runs runs have $many stacks, one has $one" [ "$many" -le $((2 * one)) ]

# A recording gives the same report, and others.
profile "$(preset brk)" --process=known-brk --record brk.kmr -O report.live -- ./known-brk brk "$brks"
equals 'recording: exit status' 0 "$status"
stack-top -i brk.kmr --process=known-brk > report 2> errors
holds 'recording: the same report' diff report.live report
tool=stack-top collect=()
profile -i brk.kmr --process=known-brk --by=point
has_line 'by point' "^ *$brk_calls +100 +syscalls:sys_enter_brk\$" report
profile -i brk.kmr --process=known-brk --by=mapping
has_line 'by mapping' "^ *$brks +[0-9.]+ +workload\$" report
profile -i brk.kmr --by=user-callsite
has_line 'by call site in the program' "^ *$brks +[0-9.]+ +ask_for_heap \[" report
profile -i brk.kmr -e move_heap
equals '-e a user frame' 0 "$(hits_at ask_for_heap report)"
profile -i brk.kmr -I move_heap
equals '-I a user frame' "$brks" "$(report_count report)"
collect_by perf
profile --process=known-touch "$(preset faults)" -K -c './known-touch touch 50'
is_complete '-K'
equals '-K: no user frame' 0 "$(grep -c -E '^ [^ ]+\+0x[^ ]+ \[' report)"
holds '-K: kernel frames' grep -q -E '^ 0x[0-9a-f]+ : [a-z]' report
profile --process=known-pages "$(preset pages)" -U -c './known-pages pipe-page 50'
is_complete '-U'
equals '-U: no kernel frame' 0 "$(grep -c -E '^ 0x' report)"
holds '-U: user frames' [ "$(hits_at main report)" -ge 50 ]

# Every other preset starts on this kernel, or one line says what it needs.
for name in $(preset_names | grep -v -x -E 'brk|faults|mmap|hugepage|shmsnoop|pages|reclaim|malloc|oomkill'); do
	profile "$(preset "$name")" -q -c true
	[ "$status" != 1 ] || holds "preset $name: one line says why not: $(cat errors)" [ "$(wc -l < errors)" = 1 ]
	holds "preset $name: status $status" [ "$status" -le 1 -o "$status" = 3 ]
done

# The one who is killed, and whose allocation that was.
limited_by_cgroup $((16 << 20))
# shellcheck disable=SC2016 # for the shell inside
profile "$(preset oomkill)" -- sh -c 'sh -c "echo \$\$ > \"\$1/cgroup.procs\"; echo \$\$ > victim
	exec ./known-touch touch 100000" sh "$1"; true' sh "$limited"
equals 'oomkill: exit status' 0 "$status"
has_line 'oomkill: the victim' "^ *[0-9.]+ +known-touch +$(cat victim) +$(cat victim) " report

# refused NAME STATUS REGEX ARG…: one line says it; where it is a matter of the command line, a second names --help.
refused()
{
	local name=$1 want=$2 line=$3
	shift 3
	profile "$@" -d 0.2
	equals "$name: exit status" "$want" "$status"
	has_line "$name: the remedy" "^stack-top: $line" errors
	equals "$name: one line" 1 "$(grep -v -c "^Try 'stack-top --help'" errors)"
}

refused 'no such tracepoint' 1 't:kmem:mm_page_aloc: .* nearest: kmem:mm_page_alloc,' t:kmem:mm_page_aloc
refused 'no such field' 1 ".*no value brkk; nearest: brk" t:syscalls:sys_enter_brk --weight=brkk
refused 'no formula' 2 '--where: column 7: expected' t:syscalls:sys_enter_brk --where='brk + *3'
refused 'no such function' 1 'u:.*: .*nearest: touch_page' "u:$(command -v workload):touch_pag"
refused 'no program' 1 'u:/etc/passwd:x: /etc/passwd: .*not an ELF' u:/etc/passwd:x
refused 'no such preset' 2 "no preset is called 'brkk'" brkk
refused 'no such software event' 1 'sw:page-fault: .*nearest: page-faults' sw:page-fault
