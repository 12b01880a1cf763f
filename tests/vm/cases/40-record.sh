# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# Recordings: the same report from the file, here and on the host (run compares NAME.report with what
# the arguments in NAME.arguments give there).
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

# recorded NAME ARGUMENTS COMMAND…: ARGUMENTS are words of the report, given again on the host.
recorded()
{
	local name=$1 arguments=$2
	shift 2
	# shellcheck disable=SC2086 # words
	profile --record "$name.kmr" $arguments --only-command -O "$name.report" -- "$@"
	cp "$name.report" report
	equals "$name: exit status" 0 "$status"
	equals "$name: nothing lost" 'Lost: none' "$(tail -n 1 "$name.report")"
	equals "$name: readable by root alone" 600 "$(stat -c %a "$name.kmr")"
	# shellcheck disable=SC2086 # words
	holds "$name: -i gives the same report" \
		sh -c "kmalloc-top -i $name.kmr $arguments | cmp $name.report -"
	echo "$arguments" > "$name.arguments"
	cp "$name".* "$recordings/"
}

recorded unix-sends "${only_sends[*]}" workload -t 2 -f unix-send 2000 "$SEND_BYTES"
recorded find '-m 10 -t 3 -e tcp_' find /usr/include -type f -name '*.h'
recorded mixed '--details --sort=bytes -t 20' sh -c \
	'find /usr/share/doc -type f | head -n 200 | tar -c -T - | wc -c; workload tcp-connect 50; workload pipe 200'

# The main command; examples/mixed.kmr is this one's recording.
profile --record host.kmr -m 10 -t 3 -e tcp_ -O host.report -- sh -c \
	'find /usr/include -type f | wc -l; workload tcp-connect 50; workload unix-send 500 1000; workload pipe 200'
equals 'whole host: exit status' 0 "$status"
echo '-m 10 -t 3 -e tcp_' > host.arguments
cp host.* "$recordings/"

kmalloc-top -i unix-sends.kmr --info > info
has_line '--info names the kernel' "$(uname -r | sed 's/[.+]/\\&/g')" info

workload -t 2 pipe 100000 > /dev/null &
busy=$!
profile --record bound.kmr --record-max 64K -d 60
kill "$busy"
equals '--record-max: exit status' 3 "$status"
has_line '--record-max: says why it ended' '^Ended early: ' report

# To wait for it makes pipes, too.
work_waits gate 0 500
profile_started --record killed.kmr -p "$worker"
echo > gate
wait "$worker"
wait_until 100 has_recorded 1000 killed.kmr.part "${only_pipes[@]}"
kill -9 "$program"
wait "$program" 2> /dev/null
kmalloc-top -i killed.kmr.part "${only_pipes[@]}" > report
equals 'killed: exit status of its unfinished recording' 3 "$?"
equals 'killed: what it had is there' 1000 "$(report_count report)"
has_line 'killed: the loss is unknown' '^Lost: .*unknown after' report
