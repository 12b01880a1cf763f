# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftrace as the second opinion: see lib.sh. For Debian 11, whose bpftrace takes minutes to start under
# emulation, and so does perf, and whose kernel has no histogram triggers.

readonly second_instance=/sys/kernel/tracing/instances/second

second_enable()
{
	local event=$second_instance/events/kmem/$1
	[ -e "$event" ] || return 0
	echo 'comm == "workload"' > "$event/filter"
	echo 1 > "$event/enable"
}

second_started()
{
	local name
	mkdir "$second_instance"
	echo 32768 > "$second_instance/buffer_size_kb"
	echo 1 > "$second_instance/options/stacktrace"
	for name; do
		second_enable "$name"
	done
}

second_ended()
{
	echo 0 > "$second_instance/events/enable"
	cat "$second_instance/trace" > second.out
	grep -h '^\(commit \)*overrun: [1-9]' "$second_instance"/per_cpu/cpu*/stats
	rmdir "$second_instance"
}

second_sum()
{
	awk -v frame="$1" -v what="$2" -v others="${unrelated//,/|}" '
		match($0, / bytes_alloc=[0-9]+/) {
			bytes = substr($0, RSTART + 13, RLENGTH - 13)
			found = other = 0
		}
		$1 == "=>" && $2 ~ "^(" others ")" { other = 1 }
		$1 == "=>" && $2 == frame && !found && !other {
			found = 1
			sum += what == "bytes" ? bytes : 1
		}
		END { print sum + 0 }' second.out
}
