# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# A known number of allocations of one kind is counted to the last one, at the right stack.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

sends=4000
pipes=1500

profile "${only_sends[@]}" -c "workload unix-send $sends $SEND_BYTES"
is_complete 'unix sends, whole system'
counts 'unix sends, whole system' "$sends" $((sends * send_allocated))
equals 'unix sends, whole system: one stack' 1 "$(report_stacks report)"
has_line 'unix sends: the first frame is the allocator' '^ 0x[0-9a-f]+ : __kmalloc' \
	<(grep -A 1 '^This path seen ' report)
has_line 'unix sends: the stack reaches the system call' " : $system_call_frame" report
equals 'the whole host is the default, so nothing is said' '' "$(grep '^Scope: ' report)"

profile --only-command "${only_sends[@]}" -- workload -t 2 -f unix-send "$sends" "$SEND_BYTES"
is_complete 'unix sends, of the command with threads and a child'
counts 'unix sends, of the command with threads and a child' $((4 * sends)) \
	$((4 * sends * send_allocated))

profile "${only_pipes[@]}" -c "workload pipe $pipes"
is_complete 'pipes, whole system'
equals 'pipes: two allocations each' $((2 * pipes)) "$(report_count report)"
equals 'pipes: two stacks' 2 "$(report_stacks report)"

profile --only-command "${only_pipes[@]}" -- workload pipe "$pipes"
is_complete 'pipes, of the command'
equals 'pipes, of the command: two allocations each' $((2 * pipes)) "$(report_count report)"

profile --stacks=none -I "$pipe_frame" -c "workload pipe $pipes"
is_complete 'pipes, call sites only'
equals 'pipes, call sites only: two allocations each' $((2 * pipes)) "$(report_count report)"
