# shellcheck shell=bash
# shellcheck disable=SC2034 # the cases read what is set here
# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases share; sourced first. A case runs in an empty directory of its own.
#
# Those from 90 to 98 run on the machine that builds, too (tests/live/check_live). There are neither
# modules nor a place for recordings, and other processes allocate meanwhile.
set -u

cases=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
readonly cases
readonly modules=${cases%/*}/modules recordings=${cases%/*}/recordings
readonly module=$modules/kmt_vm.ko

# Work whose allocations were counted by bpftrace on each kernel of trees.conf: a send of SEND_BYTES
# asks for 2,048 bytes in one piece, rounded up by the kernel before it asks; a pipe for two pieces. A
# System V message takes what it asks for.
export SEND_BYTES=1000
readonly send_allocated=2048 message_allocated=512
readonly pipe_frame=alloc_pipe_info send_frame=unix_stream_sendmsg
# Where a process enters the kernel: how the name of its stack's last frames begins.
case $(uname -m) in
x86_64) system_call_frame=entry_SYSCALL_64_after_hwframe ;;
aarch64) system_call_frame=el0_ ;;
*) system_call_frame=system_call ;;
esac
readonly system_call_frame
# These alone: on the way the allocator may allocate a store of its own, from 7.0 on, or where it notes
# to whom a slab's objects are charged; and so may an interrupt, whose stack stands upon the
# interrupted one.
readonly unrelated=__pcs_,_slab_obj_exts,memcg_alloc_,asm_
readonly only_sends=(-I "$send_frame" -e "$unrelated") only_pipes=(-I "$pipe_frame" -e "$unrelated")
readonly only_messages=(-I msgsnd -e "$unrelated")

ok()
{
	echo "ok $1"
}

# The next run overwrites the report: it is kept beside, with all of the case's folder.
not_ok()
{
	local kept
	kept=$(mktemp -d ./failed.XXXX)
	cp report errors "$kept/" 2> /dev/null
	# On one line: results are read by the line.
	echo "not ok $1: ${2//$'\n'/ | } (see ${kept#./})"
	[ ! -s "$kept/errors" ] || tail -n 5 "$kept/errors" | sed 's/^/# /'
}

# equals NAME WANT GOT
equals()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "want '$2', got '$3'"
	fi
}

# has_line NAME REGEX FILE
has_line()
{
	if grep -q -E -e "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1" "no line matches '$2' in: $(head -c 300 "$3" | tr '\n' '|')"
	fi
}

# holds NAME COMMAND…: the command succeeds.
holds()
{
	local name=$1
	shift
	if "$@"; then
		ok "$name"
	else
		not_ok "$name" "false: $*"
	fi
}

# What is emulated is slow: without this the probes of a loop take more than their share of a CPU.
readonly every_event=--max-overhead=0

# Beside builds a reader gets a CPU late, and the default buffers are full by then. Cases are about figures, so perf
# events have buffers for all. Guests are too small for them, and have nothing beside the case.
room_for_events=()
[ "$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)" -lt 4000000 ] || room_for_events=(--buffer=64)

# collect_by perf|bpf|MODULE: what collects from now on, perf events, BPF programs or a module that was
# compiled for this kernel.
collect_by()
{
	collector=$1
	collect=(--module "$modules/$1.ko" "$every_event")
	case $1 in
	perf | bpf) collect=("--collector=$1" "$every_event" "${room_for_events[@]}") ;;
	esac
}
collect_by kmt_vm

# The program of profile and profile_started.
tool=kmalloc-top

# profile ARG…: runs the program; leaves ./report, ./errors and $status.
profile()
{
	"$tool" --format=text "${collect[@]}" "$@" > report 2> errors
	status=$?
}

# profile_started ARG…: the same in the background, as from a shell that lets it be interrupted, when
# its probes are live; leaves $program.
profile_started()
{
	rm -f errors
	env --default-signal=INT "$tool" --format=text "${collect[@]}" -v "$@" > report 2> errors &
	program=$!
	wait_for_probes
}

# Waits for a run with -v whose stderr goes to ./errors; that file did not exist before.
wait_for_probes()
{
	wait_until 600 grep -q -s 'the probes are live' errors
}

# has_recorded COUNT FILE ARG…: an unfinished recording has so many allocations that the filters of ARG…
# leave.
has_recorded()
{
	local count=$1
	kmalloc-top -i "${@:2}" > recorded 2> /dev/null
	[ "$(report_count recorded)" = "$count" ]
}

# kill_at_once PID…: none of them can see another one die.
kill_at_once()
{
	kill -STOP "$@"
	kill -9 "$@"
}

# wait_until TENTHS COMMAND…: fails when the command still does after so many tenths of a second.
wait_until()
{
	local tenths=$1
	shift
	until "$@"; do
		[ "$tenths" -gt 0 ] || { echo "waited too long for: $*"; return 1; }
		tenths=$((tenths - 1))
		sleep 0.1
	done
}

# profile_ended [SIGNAL]: waits for it, after a signal if one is named; leaves $status.
profile_ended()
{
	[ -z "${1:-}" ] || kill "-$1" "$program"
	wait "$program"
	status=$?
}

# Numbers of a report file. report_bytes FILE requested|allocated|wasted
report_count()
{
	awk '/^(Total [a-z -]+ \(after filtering\)|Allocations): [0-9]/ {
			count = $0
			sub(/^[^:]*: /, "", count)
			sub(/[^0-9,].*/, "", count)
			gsub(",", "", count)
		}
		END { if (count != "") print count }' "$1"
}

report_bytes()
{
	awk -v what="$2" '/^Bytes: / {
			gsub(",", "")
			for (i = 2; i < NF; i++)
				if ($i == what) bytes = $(i + 1)
		}
		END { print bytes + 0 }' "$1"
}

report_stacks()
{
	grep -c '^This path seen ' "$1"
}

# rows: those of ./report with --by, a line "COUNT NAME" each, ids as N.
rows()
{
	awk '/^ALLOCATIONS / { on = 1; next } !NF { on = 0 } on { gsub(",", "", $1); print $1, $NF }' report |
		sed 's/\[[0-9]*\]$/[N]/' | sort
}

# report_lost FILE: the events that the last line counts; nothing when it does not know all of them.
report_lost()
{
	awk '{ last = $0 }
		END {
			gsub(",", "", last)
			if (last == "Lost: none") print 0
			else if (last !~ /unknown|at least/ && last ~ /^Lost: [0-9]+ events? /) {
				split(last, words, " ")
				print words[2]
			}
		}' "$1"
}

# work_waits GATE CPU COUNT [KIND]: a process that makes so many pipes on that CPU, or does other work
# so often, once "echo > GATE" lets it; leaves $worker. The kmallocs of pipes are two for each, and next
# to none besides.
work_waits()
{
	mkfifo "$1"
	taskset -c "$2" workload "${work_options[@]}" -a - "${4:-pipe}" "$3" > /dev/null 0<> "$1" &
	worker=$!
	wait_until 300 grep -q -x workload "/proc/$worker/comm"
}
work_options=()

# work_stays: the processes of work_waits do not end by themselves from now on: what their end allocates
# may be lost, too, and what was lost has no stack that would show whose it was. work_done PID… waits
# until their work is done.
work_stays()
{
	work_options=(-k)
}

work_done()
{
	local pid
	for pid in "$@"; do
		wait_until 600 grep -q -x work-done "/proc/$pid/comm"
	done
}

# adds_up NAME EVENTS: what was counted and what was lost are all events there were. A loss above the
# default of --max-loss ends with status 3.
adds_up()
{
	local lost
	lost=$(report_lost report)
	echo "$1: $(tail -n 1 report)"
	cp report "report.${1// /-}"
	equals "$1: counted and lost are all there was" "$2" $(($(report_count report) + ${lost:--1}))
	[ $((${lost:-$2} * 1000)) -le "$2" ] || equals "$1: the exit status shows it" 3 "$status"
}

# is_complete NAME: the run of ./report ended well and lost nothing.
is_complete()
{
	equals "$1: exit status" 0 "$status"
	equals "$1: nothing lost" 'Lost: none' "$(tail -n 1 report)"
	holds "$1: the cost is shown and possible" cost_is_possible
}

# Probes cannot run for longer than all of the time. What perf events cost is not measured.
cost_is_possible()
{
	[ "$collector" != perf ] || grep -q ', tracing took ' report || return 0
	awk '/^Run: .*, tracing took / {
			sub(/.*, tracing took /, "")
			gsub("<", "")
			n = bad = 0
			for (i = 2; i <= NF; i++)
				if ($i ~ /^%/) { n++; if ($(i - 1) > 100) bad = 1 }
		}
		END { exit bad || !n }' report
}

# counts NAME ALLOCATIONS BYTES_ALLOCATED: what ./report shows after its filters.
counts()
{
	equals "$1: allocations" "$2" "$(report_count report)"
	equals "$1: bytes allocated" "$3" "$(report_bytes report allocated)"
}

# keeps_all_under_signals: one Ctrl-C after the other, until a run has ended.
keeps_all_under_signals()
{
	local name='signals to the very end'
	profile_started --record again.kmr -O again.txt
	while kill -INT "$program" 2> /dev/null; do :; done
	profile_ended
	holds "$name: exit status" [ "$status" = 0 -o "$status" = 3 ]
	has_line "$name: the report is there" '^Lost: ' again.txt
	equals "$name: and the recording" again.kmr "$(ls again.kmr*)"
}

# cache_row CACHE: the allocations of its row in ./report, which is by cache.
cache_row()
{
	sed -n -E "s/^ *([0-9,]+) .* $1( .*)?\$/\1/p" report | tr -d ,
}

# cache_margin CACHE: the margin of its row, in percent.
cache_margin()
{
	sed -n -E "s/^ *[0-9,]+ +[0-9.]+ +([0-9.]+) .* $1( .*)?\$/\1/p" report
}

# samples_evenly PERIOD KIND COUNT CACHE…: a loop of that work, which allocates from each of the caches as
# often, and every time at the same places of its turn. The buffers have room for all events: on a busy host
# the reader may get no CPU before the loop ends. Then every event is taken, which shows nothing of samples,
# and the loop runs again.
samples_evenly()
{
	local name="one of $1 of $2" period=$1 kind=$2 count=$3 cache
	local -A truths
	shift 3
	local by_cache=(--events=cache --by=cache --stacks=none --only-command --buffer=64)
	profile "${by_cache[@]}" -- taskset -c 0 workload "$kind" "$count"
	for cache; do
		truths[$cache]=$(cache_row "$cache")
	done
	for _ in 1 2 3; do
		profile "${by_cache[@]}" --sample="$period" -- taskset -c 0 workload "$kind" "$count"
		! grep -q '^Sampled: ' report || break
	done
	has_line "$name: a margin" '^Sampled: .*; margin of the total \+-[0-9.]+ % \(95 %\)$' report
	for cache; do
		is_within_margins "$name: $cache" "${truths[$cache]:-0}" "$(cache_row "$cache")" "$(cache_margin "$cache")"
	done
}

# is_within_margins NAME TRUTH ESTIMATE MARGIN: by two margins, which are 4 standard errors. The margin has
# the scatter of this run in it: 2 to 4 % of 60,000 allocations, 8 % where one of 100 is taken.
is_within_margins()
{
	equals "$1: ${3:-nothing} +-${4:-nothing} % of $2" within "$(awk -v truth="$2" -v estimate="${3:-0}" \
		-v margin="${4:-0}" 'BEGIN {
			off = (estimate - truth) * 100 / (estimate + 1)
			is_known = truth > 1000 && margin > 0 && margin <= 20
			print is_known && off * off <= (2 * margin) ^ 2 ? "within" : "outside" }')"
}

# A second opinion on what the workload allocates, by stack: bpftrace, or ftrace where the tree has none.
# second_started TRACEPOINT…, of the group kmem and as far as this kernel has them; second_ended;
# second_sum FRAME count|bytes: of the stacks with that frame, and none of $unrelated before it.
second_name=$(command -v bpftrace > /dev/null && echo bpftrace || echo ftrace)
# shellcheck source=second-bpftrace.sh source-path=SCRIPTDIR
. "$cases/second-$second_name.sh"
