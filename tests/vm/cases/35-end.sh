# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# How a run ends: by time, by signals, by accidents.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

# The Run: line has the seconds that the stream covers.
run_seconds()
{
	sed -n 's/^Run: .*, \([0-9]*\)\.[0-9]* s, .*/\1/p' report
}

profile -d 3
is_complete '-d 3'
holds '-d 3: covers three seconds' [ "$(run_seconds)" -ge 2 ]
holds '-d 3: and not many more' [ "$(run_seconds)" -le 8 ]

for signal in INT TERM HUP; do
	profile_started "${only_pipes[@]}"
	workload pipe 400 > /dev/null
	profile_ended "$signal"
	is_complete "SIG$signal"
	equals "SIG$signal: all of the work is there" 800 "$(report_count report)"
done

profile_started "${only_pipes[@]}"
workload pipe 200 > /dev/null
sleep 3
kill -USR1 "$program"
wait_until 100 grep -q '^Lost: ' report
workload pipe 300 > /dev/null
profile_ended INT
is_complete 'SIGUSR1, then SIGINT'
equals 'SIGUSR1: the report so far' 400 "$(report_count <(sed '/^Lost: /q' report))"
equals 'SIGUSR1, then SIGINT: the whole report' 1000 "$(report_count report)"

# Both wait for it: it cannot be done with the first before the second comes.
profile_started
kill -STOP "$program"
kill -INT "$program"
kill -TERM "$program"
profile_ended CONT
equals 'a second signal: exit status' 3 "$status"
has_line 'a second signal: there is a report' '^Num stacks before filtering: ' report

keeps_all_under_signals

# The command outlives the run and is left alone.
profile_started -- sleep 60
profile_ended INT
equals 'the command still runs: exit status' 0 "$status"
holds 'the command still runs' pgrep -x sleep
has_line 'the command still runs: reported' 'still running' errors
pkill -x sleep

profile_started "${only_pipes[@]}"
workload pipe 300 > /dev/null
sleep 3
pkill -9 -x stapio
profile_ended
equals 'stapio killed: exit status' 3 "$status"
equals 'stapio killed: what was read is reported' 600 "$(report_count report)"

kmalloc-top --module "$module" "$every_event" -c 'workload pipe 100' 2> errors | head -n 1 > report
equals 'a reader that leaves: no complaint' '' "$(grep -i 'pipe\b.*broken\|writing' errors)"
