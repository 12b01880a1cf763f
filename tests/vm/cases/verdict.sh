# shellcheck shell=bash
# shellcheck disable=SC2034 # the cases read what is set here
# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases of verdicts share; sourced after lib.sh. memory_leak makes the leaks, in processes leak-KIND.
export PATH=$PATH:/usr/lib/kmalloc-top

# verdict FILE ARG…: of a recording, or of the part of it that ARG… leave; leaves ./verdict, with a line for each
# member.
verdict()
{
	local file=$1
	shift
	kmalloc-top --held -i "$file" "$@" -q -t 1 --format=json 2> errors |
		sed -E 's/.*"verdict":\{"rule":"([^"]*)","is_suspect":([a-z]*),"sentence":"([^"]*)","next":"?([^"]*)"?,"calls":.*/\1\n\2\n\3\n\4/' |
		head -c 2000 > verdict
}

# suspects KIND RULE CODE [WHO ARG…]: the verdict of ./leaks.kmr about that leak has the rule, and names who keeps
# memory and the code. The process that leaks keeps it, unless it is WHO, in the part of the recording that ARG… leave.
suspects()
{
	local kind=$1 rule=$2 code=$3 who=${4:-leak-$1}
	shift "$(($# < 4 ? 3 : 4))"
	verdict leaks.kmr "${@:---process=$who}"
	equals "$kind: the rule" "$rule true" "$(sed -n '1p' verdict) $(sed -n '2p' verdict)"
	has_line "$kind: who and where: $(sed -n 3p verdict)" "$who.* (keeps|leave) memory" verdict
	has_line "$kind: through which code" "$code" verdict
}

# said: the verdict of ./report, in one line.
said()
{
	awk '/^Verdict: / { on = 1 } /^Next: |^$/ { on = 0 } on' report | tr -s '\n ' ' ' | sed 's/^Verdict: //'
}

# pid_of NAME: of the process of that name.
pid_of()
{
	grep -l -x "$1" /proc/[0-9]*/comm 2> /dev/null | head -n 1 | cut -d / -f 3
}

# leak_starts RATE KIND…: more of them, until leak_ends.
leaks=()
leak_starts()
{
	memory_leak "$1" 600 "${@:2}" &
	leaks+=($!)
}

leak_ends()
{
	kill "${leaks[@]}"
	wait "${leaks[@]}" 2> /dev/null
	leaks=()
}
