# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# Perf events that are overloaded and throttled: what is counted and what is lost are together what counters
# of the same tracepoints counted, which have no buffer. Those of kmem_counter within the run begin later
# and end sooner than the run's own events, those around it the other way round.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# Where a guest has kmem_counter.
PATH=$PATH:/usr/lib/kmalloc-top

# host FILE: of kmem_counter
host()
{
	sed -n 's/^host //p' "$1"
}

# lost_events FILE: the least and the most that the last line counts; the same number twice unless it is a
# range. Where the kernel dropped events and the sampling period changed meanwhile, nobody knows of which
# period they were.
lost_events()
{
	tail -n 1 "$1" | tr -d , |
		sed -n -E 's/^Lost: none$/0 0/p; s/^Lost: ([0-9]+) to ([0-9]+) events? .*/\1 \2/p
			s/^Lost: ([0-9]+) events? .*/\1 \1/p' | head -n 1
}

# run_overloaded COMMAND…: leaves ./report. Fails if the run ended before the command, because the probes alone took
# more than they may: the counters within it then counted longer than the run.
run_overloaded()
{
	kmem_counter -c outer kmalloc kmalloc-top --collector=perf --max-overhead=20 --buffer=1 -- \
		kmem_counter inner kmalloc "$@" > report 2> errors
	! grep -q 'the run ends early' errors
}

# overloaded NAME COMMAND…
overloaded()
{
	local name=$1 counted lost_min lost_max period margin slack
	shift
	run_overloaded "$@" || run_overloaded "$@" || run_overloaded "$@"
	counted=$(sed -n 's/^Total kmallocs (before filtering): //p' report)
	read -r lost_min lost_max < <(lost_events report)
	echo "$name: $(host inner) to $(host outer) counted beside, reported $((counted + ${lost_min:-0}))" \
		"to $((counted + ${lost_max:-0})):" \
		"$(sed -n 's/^Sampled: \([^,]*\),.*/\1/p; /^Lost: /p' report | tr '\n' ' ')"
	holds "$name: the loss is known" test -n "$lost_max"
	has_line "$name: fewer events are taken" '^Sampled: .* to 1/[1-9].* as probes took more' report
	# What came after the newest sample of each CPU stands for nothing, some periods at most; of its own
	# events, which the report leaves out, the program estimates how many they are; and what it counted
	# while it sampled is an estimate: four standard errors are twice the margin.
	period=$(sed -n 's|^Sampled: .* to 1/\([0-9]*\),.*|\1|p' report)
	margin=$(sed -n 's/^Sampled: .*margin of the total +-\([0-9.]*\) %.*/\1/p' report)
	slack=$(awk -v "margin=${margin:-0}" -v "counted=${counted:-0}" \
		-v "periods=$((4 * ${period:-1} * $(nproc)))" -v "inner=$(host inner)" \
		'BEGIN { printf "%d", periods + inner / 1000 + counted * margin / 50 }')
	holds "$name: at least what was counted within" test $((counted + ${lost_max:-0})) -ge $(($(host inner) - slack))
	holds "$name: at most what was counted around" test $((counted + ${lost_min:-0})) -le $(($(host outer) + slack))
}

# What is emulated is slow.
pipes=150000
[ ! -d "$modules" ] || pipes=15000

# reader_stops: nobody reads at first, when every event is taken, and a second time, when fewer are.
reader_stops()
{
	# shellcheck disable=SC2016 # for the shell inside
	overloaded 'the reader stops' sh -c '
		kill -STOP "$COLLECTOR"
		workload -t 2 pipe "$2"
		kill -CONT "$COLLECTOR"
		workload -t 2 pipe "$1"
		kill -STOP "$COLLECTOR"
		workload -t 2 pipe "$1"
		kill -CONT "$COLLECTOR"
		workload -t 2 pipe 1000' - "$pipes" $((pipes < 40000 ? pipes : 40000))
}

# Beside other work, fewer events may be taken before the reader stops the first time: there is room for all of
# them then.
for _ in 1 2 3; do
	reader_stops
	grep -q '^Lost: [1-9]' report && break
done
has_line 'the reader stops: events are lost' '^Lost: [1-9][0-9,]* events' report
holds 'the reader stops: for want of room' test -z "$(grep 'not delivered' report)"

# It may come to its work only at the end of the first loops.
# shellcheck disable=SC2016 # for the shell inside
overloaded 'the reader has no CPU' sh -c '
	nice -n -20 workload -t 8 pipe "$1"
	workload -t 2 pipe "$1"' - $((pipes / 2))
