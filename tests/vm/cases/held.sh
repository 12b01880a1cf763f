# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the cases read what is set here, as lib.sh sets what is read
# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases of --held share; sourced after lib.sh. held_counts pairs a recording on its own.
collect_by kmt_all
PATH=$PATH:/usr/lib/kmalloc-top
readonly held=(--held '--events=kmalloc,cache')
readonly known=/sys/module/vmtest_first/parameters

# count_held FILE: pairs the recording; leaves ./counted. The program must hold the same number of objects.
count_held()
{
	holds "$1: a second reader reads it" sh -c 'held_counts "$1" > counted' sh "$1"
	kmalloc-top -q -i "$1" --held --format=json > held.json || true
	equals "$1: the report holds what a second reader finds" "$(sum_of held | awk -v period="$(held_period)" \
		'{ print $1 * period }')" "$(($(held_fact allocations_before_filters) + $(held_fact allocations_left_out)))"
	equals "$1: ... and the same addresses were used again without a free" \
		"$(sum_of recycled)" "$(held_fact held_recycled)"
}

# sum_of WORD: the counts of the lines with that first word.
sum_of()
{
	awk -F '\t' -v word="$1" '$1 == word { n += word == "held" ? $5 : $NF } END { print n + 0 }' counted
}

# held_period: objects that each counted one stands for.
held_period()
{
	awk -F '\t' '$1 == "period" { n = $2 } END { print (n > 1 ? n : 1) }' counted
}

# held_fact NAME: a number among the facts of the report.
held_fact()
{
	sed -n "s/.*\"$1\":\([0-9]*\)[,}].*/\1/p" held.json | head -n 1
}

# held_by FRAME [CACHE]: objects that are held by stacks with that function, without what the allocator
# keeps for itself.
held_by()
{
	awk -F '\t' -v frame="$1" -v cache="${2:-}" -v others="${unrelated//,/|}|_sheaf<" '
		$1 == "held" && ("<" $6 "<") ~ ("<" frame "<") && (cache == "" || $3 == cache) && $6 !~ others { n += $5 }
		END { print n + 0 }' counted
}

# held_of COMM SOURCE FRAME: the objects that such processes hold by stacks with that function.
held_of()
{
	awk -F '\t' -v comm="$1" -v source="$2" -v frame="$3" '
		$1 == "held" && $2 == source && $4 == comm && ("<" $6 "<") ~ ("<" frame "<") { n += $5 }
		END { print n + 0 }' counted
}

# held_by_process COMM: the lines of what processes of such a name hold, a regular expression. Before it
# executes, a command has the name of the process that starts it.
held_by_process()
{
	awk -F '\t' -v comm="^($1)\$" '$1 == "held" && $4 ~ comm && $6 !~ /execve/' counted
}

# counted_as WORD…: the count of that line; 0: there is none.
counted_as()
{
	local IFS=$'\t'
	awk -F '\t' -v line="$*" '{ count = $NF; sub(/\t[0-9]*$/, "") } $0 == line { n = count }
		END { print n + 0 }' counted
}

# pairs_all NAME: each allocation and its free were seen.
pairs_all()
{
	equals "$1: exit status" 0 "$status"
	equals "$1: no address was used again without a free" '' "$(grep ^recycled counted)"
	equals "$1: no probe was missed" 0 "$(counted_as missed)"
}

# keep_cpus_busy: some kernels count the frees of softirqs in an idle task, but deliver few of them. Leaves
# $spinners, to be killed.
keep_cpus_busy()
{
	local cpu
	spinners=()
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" nice -n 19 sh -c 'while :; do :; done' &
		spinners+=($!)
	done
}

# open_gate: what starts_to_keep waits for.
open_gate()
{
	mkfifo go
	exec {go}<> go
}

# starts_to_keep KIND COUNT: the workload has allocated, and stays.
starts_to_keep()
{
	rm -f said
	workload "$1" "$2" < go > said &
	keeper=$!
	holds "$1: the workload has allocated" wait_until 600 grep -q -s kept said
}

let_go()
{
	echo >&"$go"
	wait "$keeper"
}
