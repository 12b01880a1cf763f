# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# points: 'kernel.function("vfs_write")' --weight=arg3
# points: 'kernel.function("vfs_write").return' --weight=retval
# points: 'process("/usr/bin/workload").function("request_once")' --weight=arg1
# points: 'kernel.trace("kmem:mm_page_alloc")' '--weight=pages(order)' '--where=order == 0'
# points: k:__x64_sys_brk
# points: --begin=k:hrtimer_nanosleep --end=kr:hrtimer_nanosleep
# points: sw:page-faults
# points: malloc
# SystemTap observes any probe point, in its own spelling or in that of perf events: known work is counted to the
# last hit, with its values, times and user stacks. When stack-top is killed, nothing stays.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"
[ -e "$module" ] || exit 0
# shellcheck disable=SC2034 # read in lib.sh
collect=(--collector=stap "$every_event")

readonly pages=200 brks=300 mallocs=400 malloc_bytes=1234 sleeps=20 touched=500
workload=$(command -v workload)
for kind in pages brk malloc sleep touch; do
	ln -s "$workload" "known-$kind"
done

# kernel_frames: the functions of ./report, one a line.
kernel_frames()
{
	sed -n -E 's/^ 0x[0-9a-f]+ : ([^+]+)\+0x.*/\1/p' report
}

profile --process=known-pages 'kernel.function("vfs_write")' --weight=arg3 -- ./known-pages pipe-page "$pages"
is_complete 'a function of the kernel'
equals 'a function of the kernel: sum of an argument' "$pages" "$(sum_at plan_run report)"
equals 'a function of the kernel: its kernel stack' 'vfs_write ksys_write' "$(kernel_frames | head -n 2 | paste -s -d ' ')"

profile --process=known-pages 'kernel.function("vfs_write").return' --weight=retval -- ./known-pages pipe-page "$pages"
is_complete 'a function that returns'
equals 'a function that returns: sum of the results' "$pages" "$(sum_at plan_run report)"
equals 'a function that returns: its kernel stack begins at the caller' ksys_write "$(kernel_frames | head -n 1)"

profile --process=known-malloc "process(\"$workload\").function(\"request_once\")" --weight=arg1 -- \
	./known-malloc malloc "$mallocs" "$malloc_bytes"
is_complete 'a function of a program'
equals 'a function of a program: hits' "$mallocs" "$(report_count report)"
equals 'a function of a program: sum of an argument' $((mallocs * malloc_bytes)) "$(sum_at request_once report)"
has_stack 'a function of a program' request_once request_memory plan_run main

profile --process=known-pages 'kernel.trace("kmem:mm_page_alloc")' --weight='pages(order)' --where='order == 0' \
	--with-interrupts -- ./known-pages pipe-page "$pages"
is_complete 'a tracepoint'
equals 'a tracepoint: sum of its values' "$pages" "$(sum_at '[a-z_]*pipe_write' report)"

profile --process=known-brk k:__x64_sys_brk --record brk.kmr -O report.live -- ./known-brk brk "$brks"
equals "perf's spelling: exit status" 0 "$status"
cp report.live report
equals "perf's spelling: hits at the known stack" "$brks" "$(hits_at ask_for_heap report)"
has_stack "perf's spelling" ask_for_heap move_heap plan_run main
stack-top -i brk.kmr --process=known-brk > report 2> errors
holds 'recording: the same report' diff report.live report

profile --process=known-sleep --format=json --begin=k:hrtimer_nanosleep --end=kr:hrtimer_nanosleep -- \
	./known-sleep sleep "$sleeps"
equals 'time spans: exit status' 0 "$status"
equals 'time spans: pairs' "$sleeps" "$(sum_of_stacks allocations)"
slept=$(sum_of_stacks time_seconds)
holds "time spans: $slept s" awk -v slept="$slept" -v least="$((sleeps * 20))" 'BEGIN { exit !(slept >= least / 1000) }'

profile --process=known-touch sw:page-faults -- ./known-touch touch "$touched"
is_complete 'a software event'
equals 'a software event: faults at the known stack' "$touched" "$(hits_at touch_page report)"

profile --process=known-malloc malloc -c "./known-malloc malloc $mallocs $malloc_bytes"
is_complete 'a preset'
equals 'a preset: calls at the known stack' "$mallocs" "$(hits_at request_once report)"
equals 'a preset: bytes at the known stack' $((mallocs * malloc_bytes)) "$(sum_at request_once report)"

# refused NAME STATUS REGEX ARG…
refused()
{
	local name=$1 want=$2 line=$3
	shift 3
	profile "$@" -d 0.2
	equals "$name: exit status" "$want" "$status"
	has_line "$name: the remedy" "^stack-top: $line" errors
}

refused 'a list' 2 'SystemTap makes no lists of events: use --collector=perf' k:vfs_write --print=time,pid
refused 'copies of stacks' 2 '--user-stacks=dwarf is for perf events: use' k:vfs_write --user-stacks=dwarf
refused 'sampled spans' 2 'SystemTap samples no time spans' --begin=k:vfs_write --end=kr:vfs_write --sample=4
refused 'no such function' 1 'k:vfs_writ: .*nearest: .*vfs_write' k:vfs_writ
refused 'a field' 1 't:kmem:mm_page_alloc: "order": .*--collector=perf' t:kmem:mm_page_alloc --weight=order

# Killed, its module and its probe in the program are gone.
workload malloc 100000000 100 > /dev/null &
first=$!
profile_started "process(\"$workload\").function(\"request_once\")" --weight=arg1
holds 'killed: there was a module' grep -q '^kmt_' /proc/modules
kill -9 "$program"
wait "$program" 2> /dev/null
no_module()
{
	! grep -q '^kmt_' /proc/modules
}
holds 'killed: no module is left' wait_until 200 no_module
holds 'killed: the program goes on' kill "$first"
