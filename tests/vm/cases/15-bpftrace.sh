# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bpftrace in the same guest counts the same: alone, and in the same run.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

sends=3000
pipes=1000
work="workload unix-send $sends $SEND_BYTES && workload pipe $pipes"

bpftrace_started
sh -c "$work" > /dev/null
bpftrace_ended
equals 'bpftrace alone: unix sends' "$sends" "$(bpftrace_sum "$send_frame" count)"
sends_bytes=$(bpftrace_sum "$send_frame" bytes)
pipes_bytes=$(bpftrace_sum "$pipe_frame" bytes)
equals 'bpftrace alone: bytes of unix sends' $((sends * send_allocated)) "$sends_bytes"
equals 'bpftrace alone: pipes' $((2 * pipes)) "$(bpftrace_sum "$pipe_frame" count)"

profile -I "$pipe_frame" -- sh -c "$work"
is_complete 'alone'
counts 'pipes as bpftrace counted them' $((2 * pipes)) "$pipes_bytes"

bpftrace_started
profile -I "$send_frame" -- sh -c "$work"
bpftrace_ended
is_complete 'beside bpftrace'
counts 'unix sends beside bpftrace' "$(bpftrace_sum "$send_frame" count)" \
	"$(bpftrace_sum "$send_frame" bytes)"
equals 'beside bpftrace: bpftrace counts as alone' "$sends_bytes" \
	"$(bpftrace_sum "$send_frame" bytes)"

# The tracers' own frames change when a second one comes; the stack stays the same line.
profile_started -I "$send_frame"
workload unix-send "$sends" "$SEND_BYTES" > /dev/null
bpftrace_started
workload unix-send "$sends" "$SEND_BYTES" > /dev/null
bpftrace_ended
profile_ended INT
is_complete 'bpftrace attaches in mid-run'
equals 'bpftrace attaches in mid-run: allocations' $((2 * sends)) "$(report_count report)"
equals 'bpftrace attaches in mid-run: one stack' 1 "$(report_stacks report)"
