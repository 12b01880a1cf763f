# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bpftrace as the second opinion: see lib.sh.

second_program()
{
	local name
	for name; do
		[ ! -e "/sys/kernel/tracing/events/kmem/$name" ] ||
			echo "tracepoint:kmem:$name /comm == \"workload\"/ {
				@n[kstack, args.bytes_req, args.bytes_alloc] = count(); }"
	done
}

second_started()
{
	bpftrace -e "$(second_program "$@")" > second.out 2>&1 &
	second_pid=$!
	wait_until 600 grep -q -i attach second.out && sleep 2
}

second_ended()
{
	kill -INT "$second_pid"
	wait "$second_pid"
}

second_sum()
{
	awk -v frame="$1" -v what="$2" -v others="${unrelated//,/|}" '
		/^@n\[/ { found = other = 0 }
		$1 ~ "^(" others ")" { other = 1 }
		index($1, frame "+") == 1 && !other { found = 1 }
		/^, [0-9]+, [0-9]+\]: [0-9]+$/ && found {
			split($0, part, /[^0-9]+/)
			sum += part[4] * (what == "bytes" ? part[3] : 1)
		}
		END { print sum + 0 }' second.out
}
