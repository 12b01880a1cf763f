# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# Probes in functions of the kernel count known work to the last call, with its arguments, results and times,
# as bpftrace does at the same time; and when stack-top is killed, none of its probes stays.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"

readonly touched=300 pages=200 sleeps=20
workload=$(command -v workload)
known_kinds touch pages sleep

counted_started '
	kprobe:handle_mm_fault / strncmp(comm, "known-", 6) == 0 / { @faults[comm] = count(); }
	kprobe:vfs_write / strncmp(comm, "known-", 6) == 0 / { @written[comm] = sum(arg2); }
	kprobe:hrtimer_nanosleep / strncmp(comm, "known-", 6) == 0 / { @since[tid] = nsecs; }
	kretprobe:hrtimer_nanosleep / @since[tid] / {
		@slept[comm] = sum(nsecs - @since[tid]); delete(@since[tid]); }'

profile --process=known-touch "$(preset pfaults)" -- ./known-touch touch "$touched"
is_complete 'pfaults'
faults=$(report_count report)
equals 'pfaults: pairs at the known stack' "$touched" "$(hits_at touch_memory report)"

profile --process=known-pages k:vfs_write --weight=arg3 -- ./known-pages pipe-page "$pages"
is_complete 'an argument'
written=$(sum_at '[^ ]+' report)
equals 'an argument: sum at the known stack' "$pages" "$(sum_at plan_run report)"
profile --process=known-pages kr:vfs_write --weight=retval -- ./known-pages pipe-page "$pages"
is_complete 'a result'
equals 'a result: sum at the known stack' "$pages" "$(sum_at plan_run report)"

profile --process=known-sleep --format=json --begin=k:hrtimer_nanosleep --end=kr:hrtimer_nanosleep -- \
	./known-sleep sleep "$sleeps"
equals 'sleep: exit status' 0 "$status"
equals 'sleep: pairs' "$sleeps" "$(sum_of_stacks allocations)"
slept=$(sum_of_stacks time_seconds)

counted_ended
same_as_counted 'pfaults' faults known-touch "$faults"
# It has seen both runs.
same_as_counted 'an argument' written known-pages $((2 * written))
if [ -n "${counter:-}" ]; then
	bpf_slept=$(awk "BEGIN { print $(counted slept known-sleep) / 1e9 }")
	holds "sleep: $slept s are bpftrace's $bpf_slept s" same_time "$bpf_slept" "$slept" "$sleeps"
fi

profile k:vfs_writ -d 1
equals 'no such function: exit status' 1 "$status"
has_line 'no such function: the remedy' '^stack-top: k:vfs_writ: .*nearest: .*vfs_write' errors

# first_byte PID: of the function request_once() in its memory: 0xcc while it has a probe.
first_byte()
{
	local symbol line
	symbol=$(nm "$workload" | awk '$3 == "request_once" { print "0x" $1 }')
	line=$(grep -m 1 " r-xp .*/workload$" "/proc/$1/maps")
	# In this program the addresses of functions are offsets in the file.
	dd if="/proc/$1/mem" bs=1 count=1 iflag=skip_bytes \
		skip=$((0x${line%%-*} + symbol - 0x$(awk '{ print $3 }' <<< "$line"))) 2> /dev/null | od -An -tx1
}

has_no_probe()
{
	[ -z "$(cat /sys/kernel/debug/kprobes/list /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events)" ] &&
		[ "$(first_byte "$first")" != ' cc' ]
}

workload malloc 1000000000 100 > /dev/null &
first=$!

# So many calls take more of a CPU than is allowed, even if none of them is sampled: that ends the run.
profile --max-overhead=1 -d 60 "u:$workload:request_once"
equals 'hot: exit status' 3 "$status"
has_line 'hot: why it ended' '^Ended early: the probes alone took more than 1 % of CPU [0-9]+, .*--max-overhead' report

profile_started k:vfs_write kr:vfs_write "u:$workload:request_once" "ur:$workload:request_once"
holds 'killed: it had a probe in the kernel' grep -q vfs_write /sys/kernel/debug/kprobes/list
equals 'killed: it had a probe in a program' ' cc' "$(first_byte "$first")"
kill -9 "$program"
wait "$program" 2> /dev/null
holds 'killed: no probe is left after two seconds' wait_until 20 has_no_probe
holds 'killed: the program goes on' kill "$first"
