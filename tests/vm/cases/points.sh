# shellcheck shell=bash
# shellcheck disable=SC2034 # lib.sh and the cases read what is set here
# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases of probe points share; sourced after lib.sh.
collect_by perf
tool=stack-top
# Where a guest has the programs of the tests.
PATH=$PATH:/usr/lib/kmalloc-top

# preset NAME: how the command line names it: in a tree that is not installed, by its path.
preset()
{
	echo "${PRESETS:+$PRESETS/}$1${PRESETS:+.preset}"
}

# preset_names: of all of them.
preset_names()
{
	find "${PRESETS:-/usr/share/kmalloc-top/presets}" -name '*.preset' -printf '%f\n' | sed 's/\.preset$//' | sort
}

# Each kind of work has a process name of its own: known-KIND is a link, made by known_kinds KIND…. By this
# name a second opinion tells it apart, too. One process of the program stays until the case ends: before
# Linux 5.12 a file in an overlay is found by a process that maps it, not by its path.
known_kinds()
{
	local kind
	for kind; do
		ln -s "$(command -v workload)" "known-$kind"
	done
	mkfifo stay
	workload -a - dup 0 > /dev/null 0<> stay &
	# shellcheck disable=SC2064 # this process
	trap "kill $!" EXIT
}

# known KIND ARG…: all of the process known-KIND, which does the work. It is complete. Leaves report.KIND.
known()
{
	local kind=$1
	shift
	profile --process="known-$kind" "$@"
	is_complete "$kind"
	cp report "report.$kind"
}

# known_sum: the sum of all weights of ./report.
known_sum()
{
	sum_at '[^ ]+' report
}

# hits_at FUNCTION FILE, sum_at FUNCTION FILE: of the stacks of a report that this function is in.
hits_at()
{
	of_stacks "$1" "$2" 4
}

sum_at()
{
	of_stacks "$1" "$2" 6
}

of_stacks()
{
	awk -v RS= -v FS='[ \n]+' -v word="$3" -v name="$1" 'BEGIN { frame = "\n (0x[0-9a-f]+ : )?" name "\\+0x" }
		/^This path seen / && $0 ~ frame { gsub(",", "", $word); sum += $word }
		END { printf "%.0f\n", sum }' "$2"
}

# frames_at FUNCTION FILE: the user frames of the first stack with this function: "FUNCTION+OFFSET OBJECT".
frames_at()
{
	awk -v RS= -v frame=" $1[+]0x" '/^This path seen / && $0 ~ frame { print; exit }' "$2" |
		sed -n -E 's/^ ([^ ]+\+0x[0-9a-f]+)\/0x[0-9a-f]+ \[(.*)\]$/\1 \2/p'
}

# has_stack NAME FUNCTION…: the stack of the first one in ./report has them as its first user frames.
has_stack()
{
	local name=$1
	shift
	equals "$name: its user stack" "$*" "$(frames_at "$1" report | head -n $# | sed 's/+.*//' | paste -s -d ' ')"
}

# fact NAME: a number among the facts of ./report, which is JSON.
fact()
{
	grep '^{' report | sed -n -E "s/.*\"$1\":(-?[0-9.]+).*/\1/p"
}

# sum_of_stacks NAME: the sum of a number of all stacks in ./report, which is JSON.
sum_of_stacks()
{
	grep '^{' report | sed -e 's/.*"stacks":\[//' -e 's/"dropped":.*//' -e 's/"processes":\[[^]]*\]//g' |
		grep -o -E "\"$1\":[0-9.]+" | awk -F : '{ sum += $2 } END { print sum + 0 }'
}

# counted_started PROGRAM: bpftrace, where there is one; when its probes are live. counted_ended.
# counted MAP KEY: a value of its maps.
counted_started()
{
	command -v bpftrace > /dev/null || return 0
	bpftrace -e "$1" > counted 2>&1 &
	counter=$!
	wait_until 600 grep -q -i attach counted && sleep 2
}

counted_ended()
{
	[ -n "${counter:-}" ] || return 0
	kill -INT "$counter"
	wait "$counter"
	grep -v -E '^(@.*|)$' counted
	grep '\[known-' counted
}

counted()
{
	sed -n "s/^@$1\[$2\]: //p" counted
}

# same_as_counted NAME MAP KEY VALUE
same_as_counted()
{
	[ -z "${counter:-}" ] || equals "$1: as bpftrace" "$(counted "$2" "$3")" "$4"
}

# same_time COUNTED REPORTED SPANS: what bpftrace and stack-top measured, within 2 %. The handlers of one are
# within the times of the other: in an emulated guest that is up to a millisecond of each.
same_time()
{
	awk -v a="${1:-0}" -v b="${2:-0}" -v spans="$3" \
		'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= (a * .02 + spans * .001) ^ 2) }'
}
