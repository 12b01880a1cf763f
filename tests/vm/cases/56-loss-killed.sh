# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# stapio is killed: the module itself counts what nobody has read.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

work_stays

# Read, then made while stapio does not read, then made when it is gone, which does not count.
work_waits go.1 0 2000
first=$worker
work_waits go.2 1 3000
second=$worker
work_waits go.3 1 1000
third=$worker
profile_started --record unread.kmr "${only_pipes[@]}" -p "$first,$second,$third"
echo > go.1
work_done "$first"
sleep 3
pkill -STOP -x stapio
echo > go.2
work_done "$second"
pkill -9 -x stapio
profile_ended
echo > go.3
work_done "$third"
adds_up 'killed while it did not read' 10000
equals 'killed while it did not read: counted' 4000 "$(report_count report)"
has_line 'killed while it did not read: the cause' \
	'^Lost: 6,000 events .*: unread when the reader ended 6,000(, skipped probes [0-2])?$' report
has_line 'killed while it did not read: reported as an early end' '^Ended early: staprun ended' report
kmalloc-top -i unread.kmr "${only_pipes[@]}" > replay
equals 'killed while it did not read: exit status of the recording' 3 "$?"
holds 'killed while it did not read: the recording shows the same' cmp report replay

work_waits go.4 0 10000000
first=$worker
work_waits go.5 1 10000000
profile_started "${only_pipes[@]}" -p "$first,$worker"
echo > go.4
echo > go.5
sleep 0.5
pkill -9 -x stapio
profile_ended
holds 'killed under load: the load goes on' kill -0 "$worker"
kill "$first" "$worker"
equals 'killed under load: exit status' 3 "$status"
lost=$(report_lost report)
holds 'killed under load: some was counted' [ "$(report_count report)" -gt 0 ]
holds 'killed under load: how much was lost is known, and possible' \
	[ $(($(report_count report) + ${lost:-40000000})) -lt 40000000 ]

# No module, no counters: then it says so.
work_waits go.6 0 3000
profile_started "${only_pipes[@]}" -p "$worker"
echo > go.6
work_done "$worker"
pkill -TERM -x stapio
profile_ended
equals 'ended by somebody else: exit status' 3 "$status"
has_line 'ended by somebody else: the loss is exact or unknown' '^Lost: (.*unknown after|[1-9])' report

# Nothing is left to read the end, and the user does not wait.
work_waits go.7 0 3000
profile_started "${only_pipes[@]}" -p "$worker"
pkill -STOP -x stapio
echo > go.7
work_done "$worker"
kill -INT "$program"
sleep 0.5
profile_ended INT
adds_up 'two interrupts while stapio does not read' 6000
pkill -x work-done
