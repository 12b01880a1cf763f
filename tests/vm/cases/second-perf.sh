# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf as the second opinion: see lib.sh. For Debian 11, whose bpftrace takes minutes to start under
# emulation and whose kernel has no histogram triggers.

second_events()
{
	local name
	for name; do
		[ ! -e "/sys/kernel/tracing/events/kmem/$name" ] ||
			printf '%s\n' -e "kmem:$name" --filter 'comm == "workload"'
	done
}

second_started()
{
	local events
	mapfile -t events < <(second_events "$@")
	perf record -q -B -a -g --kernel-callchains -m 16M "${events[@]}" -o second.data > second.errors 2>&1 &
	second_pid=$!
	# Its file stays empty until it ends.
	wait_until 300 sh -c "ls -l /proc/$second_pid/fd | grep -q perf_event" && sleep 4
}

second_ended()
{
	kill -INT "$second_pid"
	wait "$second_pid"
	perf script --no-inline -i second.data > second.out 2>> second.errors
}

second_sum()
{
	awk -v frame="$1" -v what="$2" -v others="${others/,/|}" '
		match($0, / bytes_alloc=[0-9]+/) {
			bytes = substr($0, RSTART + 13, RLENGTH - 13)
			found = other = 0
		}
		$2 ~ "^(" others ")" { other = 1 }
		index($2, frame "+") == 1 && !found && !other {
			found = 1
			sum += what == "bytes" ? bytes : 1
		}
		END { print sum + 0 }' second.out
}
