# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Two runs at once: each has a module of its own, and neither knows of the other, nor how it ended.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

# begin_both: one looks at a process that makes pipes, the other at everybody's sends. Leaves $pipes and
# $sends, which are live, and $worker, which makes 500 pipes once work has let it. Both start at the
# same moment.
begin_both()
{
	rm -f go errors.pipes errors.sends
	work_waits go 1 500
	env --default-signal=INT kmalloc-top --module "$module" "$every_event" -v "${only_pipes[@]}" -p "$worker" \
		> report.pipes 2> errors.pipes &
	pipes=$!
	env --default-signal=INT kmalloc-top --module "$module" "$every_event" -v "${only_sends[@]}" \
		> report.sends 2> errors.sends &
	sends=$!
	wait_until 600 grep -q -s 'probes are live' errors.pipes
	wait_until 600 grep -q -s 'probes are live' errors.sends
}

work()
{
	echo > go
	workload unix-send 300 "$SEND_BYTES" > /dev/null
	wait "$worker"
}

# ended NAME PID FILE COUNT: what that run reports is complete and exact.
ended()
{
	kill -INT "$2" 2> /dev/null
	wait "$2"
	status=$?
	cp "report.$3" report
	cp "errors.$3" errors
	is_complete "$1"
	equals "$1: all of its work is there" "$4" "$(report_count report)"
}

# Whatever they are called: the second one gets another name.
our_modules()
{
	find /sys/module/*/parameters -name kmt_counters | wc -l
}

has_modules()
{
	[ "$(our_modules)" = "$1" ]
}

begin_both
equals 'both: a module each' 2 "$(our_modules)"
work
ended 'both: pipes' "$pipes" pipes 1000
workload unix-send 200 "$SEND_BYTES" > /dev/null
ended 'both: sends' "$sends" sends 500
equals 'both: no module is left' 0 "$(our_modules)"

begin_both
work
kill -9 "$pipes"
wait "$pipes" 2> /dev/null
holds 'one killed: its module goes' wait_until 100 has_modules 1
workload unix-send 200 "$SEND_BYTES" > /dev/null
ended 'one killed: the other' "$sends" sends 500

# What is left of one, all of whose processes were killed, goes while the other runs on.
begin_both
work
reader=$(pgrep -x -P "$pipes" stapio)
kill_at_once "$(pgrep -x -P "$pipes" kmt-watchdog)" "$pipes" "$reader"
wait "$pipes" 2> /dev/null
sleep 3
equals 'one gone at once: its module stays' 2 "$(our_modules)"
profile -d 1
is_complete 'one gone at once: a third run'
has_line 'one gone at once: the third removes the module' \
	'^kmalloc-top: removed the module [a-z0-9_]* of a run that is gone$' errors
equals 'one gone at once: one module is removed' 1 "$(grep -c 'removed the module' errors)"
equals 'one gone at once: the other stays' 1 "$(our_modules)"
workload unix-send 200 "$SEND_BYTES" > /dev/null
ended 'one gone at once: the other' "$sends" sends 500
equals 'one gone at once: no module is left' 0 "$(our_modules)"
