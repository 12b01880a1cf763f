# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# What finds no room on its way is counted to the last event: counted + lost = known work.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

work_stays
readonly pipes=45000
readonly known=$((2 * 2 * pipes))

# load_started ARG…: two processes, a CPU each, that make known work in all once they may go, and the
# program with ARG… watching them.
load_started()
{
	rm -f gate.0 gate.1
	work_waits gate.0 0 "$pipes"
	first=$worker
	work_waits gate.1 1 "$pipes"
	profile_started "${only_pipes[@]}" -p "$first,$worker" "$@"
}

load_goes()
{
	echo > gate.0
	echo > gate.1
}

load_ended()
{
	work_done "$first" "$worker"
	sleep 1
	profile_ended INT
	kill "$first" "$worker"
}

# load_beside_stopped PID: the load goes on while that process stands still for two seconds.
load_beside_stopped()
{
	load_goes
	sleep 0.2
	kill -STOP "$1"
	sleep 2
	kill -CONT "$1"
	load_ended
}

load_started
load_goes
load_ended
adds_up 'nothing is stopped' "$known"

# A megabyte for each CPU holds less than what its process makes.
load_started --buffer 2
pkill -STOP -x stapio
load_goes
work_done "$first" "$worker"
pkill -CONT -x stapio
load_ended
adds_up 'small buffer, stapio stopped' "$known"
has_line 'small buffer, stapio stopped: the transport lost' \
	'^Lost: .*transport [1-9][0-9,]*(, skipped probes [0-2])?(, damaged input 0 .*)?$' <(tail -n 1 report)
has_line 'small buffer, stapio stopped: the remedy' '--buffer' errors

load_started --buffer 2
load_beside_stopped "$program"
adds_up 'small buffer, the reader stopped for two seconds' "$known"

load_started
load_beside_stopped "$program"
adds_up 'default buffer, the reader stopped for two seconds' "$known"

load_started
load_beside_stopped "$(pgrep -x stapio)"
adds_up 'default buffer, stapio stopped for two seconds' "$known"
