# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# A CPU that goes and comes takes nothing along.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

work_stays
readonly switch=/sys/devices/system/cpu/cpu1/online

# Work on the CPU just before it goes, on the other one meanwhile, and on it again.
work_waits go.1 1 4000
first=$worker
work_waits go.2 0 4000
second=$worker
work_waits go.3 1 4000
third=$worker
profile_started "${only_pipes[@]}" -p "$first,$second,$third"
echo > go.1
work_done "$first"
echo 0 > "$switch"
echo > go.2
work_done "$second"
echo 1 > "$switch"
taskset -cp 1 "$third" > /dev/null
echo > go.3
work_done "$third"
profile_ended INT
is_complete 'offline and online'
adds_up 'offline and online' 24000

work_waits go.4 1 4000
profile_started "${only_pipes[@]}" -p "$worker"
echo > go.4
work_done "$worker"
echo 0 > "$switch"
profile_ended INT
is_complete 'offline to the end'
adds_up 'offline to the end' 8000

# SystemTap has neither memory nor a reader for a CPU that was offline at the start: from 4.6 on it
# skips what happens there, and counts the hits of everybody. The time for which that CPU was there
# without being traced is reported in any case.
work_waits go.5 0 4000
profile_started "${only_pipes[@]}" -p "$worker"
echo 1 > "$switch"
taskset -cp 1 "$worker" > /dev/null
echo > go.5
work_done "$worker"
profile_ended INT
cp report report.online-after-the-start
echo "online after the start: $(tail -n 1 report)"
has_line 'online after the start: the CPU is named with the time' \
	'^Lost: .*(events unknown: CPU 1 not traced for [0-9.]+ s|; CPU 1 not traced for [0-9.]+ s, events unknown)$' report
equals 'online after the start: exit status' 3 "$status"
sed -i -e 's/; CPU 1 not traced .*//' -e 's/^Lost: events unknown: CPU 1 .*/Lost: none/' report
lost=$(report_lost report)
holds 'online after the start: nothing is lost without a report' \
	[ $(($(report_count report) + ${lost:-0})) -ge 8000 ]
pkill -x work-done
