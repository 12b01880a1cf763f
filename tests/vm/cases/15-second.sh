# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# Another tracer in the same guest counts the same: alone, and in the same run.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

sends=1000
pipes=400
work="workload unix-send $sends $SEND_BYTES && workload pipe $pipes"

second_started kmalloc kmalloc_node
sh -c "$work" > /dev/null
second_ended
equals "$second_name alone: unix sends" "$sends" "$(second_sum "$send_frame" count)"
sends_bytes=$(second_sum "$send_frame" bytes)
pipes_bytes=$(second_sum "$pipe_frame" bytes)
equals "$second_name alone: bytes of unix sends" $((sends * send_allocated)) "$sends_bytes"
equals "$second_name alone: pipes" $((2 * pipes)) "$(second_sum "$pipe_frame" count)"

profile "${only_pipes[@]}" -- sh -c "$work"
is_complete 'alone'
counts "pipes as $second_name counted them" $((2 * pipes)) "$pipes_bytes"

second_started kmalloc kmalloc_node
profile "${only_sends[@]}" -- sh -c "$work"
second_ended
is_complete "beside $second_name"
counts "unix sends beside $second_name" "$(second_sum "$send_frame" count)" \
	"$(second_sum "$send_frame" bytes)"
equals "beside $second_name: that counts as alone" "$sends_bytes" \
	"$(second_sum "$send_frame" bytes)"

# The tracers' own frames change when a second one comes; the stack stays the same line.
profile_started "${only_sends[@]}"
workload unix-send "$sends" "$SEND_BYTES" > /dev/null
second_started kmalloc kmalloc_node
workload unix-send "$sends" "$SEND_BYTES" > /dev/null
second_ended
profile_ended INT
is_complete "$second_name attaches in mid-run"
equals "$second_name attaches in mid-run: allocations" $((2 * sends)) "$(report_count report)"
equals "$second_name attaches in mid-run: one stack" 1 "$(report_stacks report)"
