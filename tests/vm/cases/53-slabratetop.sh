# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# What slab caches have in each interval: known work is counted to the last object, and every full
# interval has what bpftrace counts in it. The second collection, as the interactive mode starts it, and
# that mode itself, whose reader is killed.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly pipes=250000

# members NAME FILE: the numbers of that name, one of each table's sum.
members()
{
	sed -E "s/.*\"sum\":.*\"$1\":([0-9]+).*/\1/" "$2"
}

# bpftrace_started PID: counts its kmallocs of 1024 bytes in each millisecond.
bpftrace_started()
{
	BPFTRACE_MAX_MAP_KEYS=200000 bpftrace -e "tracepoint:kmem:kmalloc /pid == $1 && args.bytes_alloc == 1024/ {
		@[nsecs / 1000000] = count(); }" > counted 2>&1 &
	second_pid=$!
	wait_until 600 grep -q -i attach counted && sleep 2
}

# Prints each interval that is full and whole: what it has, what bpftrace counted within it, and whether
# they agree, but for the milliseconds at its ends and half a percent. The probes of one event may be
# apart in time. What is late for a partial one counts in the next: a guest may be too slow for half a
# second.
compare_intervals()
{
	sed -n -E 's/^@\[([0-9]+)\]: ([0-9]+)$/bucket \1 \2/p' counted > buckets
	sed -E 's/.*"start_ns":([0-9]+),"seconds":([0-9.]+).*"partial":([a-z]+).*"sum":.*"allocations":([0-9]+).*/table \1 \2 \4 \3/' \
		tables >> buckets
	awk '$1 == "bucket" { n[$2] = $3; next }
		{ first = int($2 / 1e6); last = first + int($3 * 1000 + 0.5); within = 0
		  for (i = first + 1; i < last; i++)
			within += n[i]
		  slack = 5 + within / 200; most = within + n[first] + n[last] + slack
		  if ($4 > 0 && $3 > 0.999 && $5 == "false" && before == "false")
			printf "%d %d %s\n", $4, within, ($4 < within - slack || $4 > most ? "differs" : "agrees")
		  before = $5 }' buckets
}

rates()
{
	work_waits "gate.$1" 1 "$pipes"
	[ "$second_name" != bpftrace ] || bpftrace_started "$worker"
	rm -f errors
	env --default-signal=INT slabratetop "${collect[@]}" -v --json -p "$worker" \
		--cache 'kmalloc*-1k,kmalloc*-1024' 1 > tables 2> errors &
	program=$!
	wait_until 600 grep -q -s 'the probes are live' errors
	echo > "gate.$1"
	wait "$worker"
	sleep 2
	profile_ended INT
	[ "$second_name" != bpftrace ] || second_ended
	cp tables "tables.$1"
	lost=$(sed -E 's/.*"events_lost":([0-9]+).*/\1/' tables | awk '{ sum += $1 } END { print sum }')
	# SystemTap may skip an interrupt's probe (tests/vm/in-guest).
	holds "$1: nothing of it is lost" [ "$lost" -le 2 ]
	equals "$1: exit status" "$([ "$lost" = 0 ] && echo 0 || echo 3)" "$status"
	equals "$1: the sum is what was allocated" "$pipes" \
		"$(members allocations tables | awk '{ sum += $1 } END { print sum }')"
	[ "$second_name" = bpftrace ] || return
	compare_intervals > compared
	cat compared
	holds "$1: there are full intervals" [ "$(wc -l < compared)" -ge 3 ]
	equals "$1: each has what bpftrace counts in it" 0 "$(grep -c differs compared)"
}

# The second collection of the interactive mode.
drills()
{
	work_waits "drill.$1" 1 2000
	rm -f errors
	env --default-signal=INT slabratetop "${collect[@]}" --quiet -v -p "$worker" \
		--cache='kmalloc*-1k,kmalloc*-1024' --stacks --record=- 2> errors > stream &
	program=$!
	wait_until 600 grep -q -s 'the probes are live' errors
	echo > "drill.$1"
	wait "$worker"
	sleep 1
	profile_ended INT
	equals "$1: the stream's exit status" 0 "$status"
	kmalloc-top -i - "${only_pipes[@]}" < stream > report 2>> errors
	equals "$1: the stream has each pipe's stack" 2000 "$(report_count report)"
	equals "$1: and lost nothing" 'Lost: none' "$(tail -n 1 report)"
	slabratetop "${collect[@]}" --quiet --record=- -d 60 2> errors | head -c 100 > stream
	equals "$1: who reads may leave" 100 "$(wc -c < stream)"
}

# In a terminal of its own; what else can end a screen is shown in tests/screen.
killed_below_a_screen()
{
	local name='killed below a screen'
	printf '%s\n' 'stty -a > before' 'slabratetop "$@" 2> errors' 'echo $? > status' 'stty -a > after' \
		> screen.sh
	mkfifo keys
	rm -f errors
	TERM=xterm script -q -f -c "sh screen.sh ${collect[*]} -v 1" typescript > /dev/null 0<> keys &
	terminal=$!
	wait_until 600 grep -q -s 'the probes are live' errors
	wait_until 600 grep -q -s -a 'kmalloc-' typescript
	holds "$name: a table was shown" [ "$?" = 0 ]
	pkill -9 -x stapio
	wait "$terminal"
	equals "$name: exit status" 3 "$(cat status)"
	holds "$name: the terminal is as before" cmp before after
	equals "$name: it shows what was there before" "$(tput -T xterm rmcup | cat -v)" \
		"$(grep -a -o -F -e "$(tput -T xterm smcup)" -e "$(tput -T xterm rmcup)" typescript |
			tail -n 1 | cat -v)"
	has_line "$name: the reason is shown" '^slabratetop: Ended early: staprun ended' errors
}

collect=(--module "$modules/kmt_all.ko" "$every_event")
rates module
drills module
killed_below_a_screen
collect_by perf
rates perf
drills perf
