# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# --held beside heavy churn: the run lasts its whole time, follows fewer addresses when it costs too much,
# and what processes hold is right within its margin, whether they began before that or after it.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=held.sh source-path=SCRIPTDIR
. "$cases/held.sh"
collect_by perf

readonly pairs=3000 attempts=3
busy=()
trap 'leave_alone' EXIT

# churn: opens files on all CPUs, more than may be recorded; with pauses, as a loop without any opens more
# when recording takes less.
churn()
{
	local cpu
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" sh -c 'while :; do workload open 20000; sleep 0.2; done' > /dev/null 2>&1 &
		busy+=($!)
	done
}

# leave_alone: ends churn and keepers.
leave_alone()
{
	[ "${#busy[@]}" = 0 ] || kill "${busy[@]}"
	busy=()
}

# limit: less than what recording all of the churn takes of a CPU, in percent; more than a part of it.
limit()
{
	sed -n -E 's/^Run: .*\(CPU [0-9]+: ([0-9]+)(\.[0-9]+)? %\).*/\1/p' all | awk '{ print int($1 * 0.75) + 1 }'
}

# keeps: a process holds pairs of sockets from now on.
keeps()
{
	rm -f said
	./busykeeper keep-sockets "$pairs" < go > said 2> /dev/null &
	busy+=($!)
	wait_until 600 grep -q -s kept said
}

has_thinned()
{
	grep -q 'probes took more than' errors
}

# runs_beside_churn: a run with the limit; the first half of the objects is there before the churn
# begins, the other half comes when fewer addresses are followed. Returns whether the run lasted.
runs_beside_churn()
{
	rm -f busy.kmr
	churn
	profile "${held[@]}" --max-overhead=0 -d 5
	mv report all
	leave_alone
	echo "a limit of $(limit) %; $(grep '^Run:' all)"
	profile_started "${held[@]}" --max-overhead="$(limit)" --record busy.kmr
	keeps
	churn
	wait_until 200 has_thinned
	keeps
	sleep 6
	profile_ended INT
	leave_alone
	! grep -E '^Ended early:' report && has_thinned
}

# within_errors HELD TRUTH: within 4 standard errors of independent draws.
within_errors()
{
	awk -v held="$1" -v truth="$2" -v period="$(held_period)" \
		'BEGIN { off = held - truth; exit !(off * off <= 16 * truth * (period - 1)) }'
}

# Others may run the workload, too.
cp "$(command -v workload)" busykeeper
open_gate
# What others do meanwhile may change the cost.
lasted=
for ((n = 0; n < attempts; n++)); do
	runs_beside_churn && lasted=1 && break
done
equals 'busy: the run lasts, with fewer addresses' 1 "$lasted"
# What was used again without a free is counted up to then of all addresses, so only what is held is
# compared.
holds 'busy: a second reader reads it' sh -c 'held_counts busy.kmr > counted'
kmalloc-top -q -i busy.kmr --held --format=json > held.json || true
equals 'busy: the report holds what a second reader finds' "$(($(sum_of held) * $(held_period)))" \
	"$(($(held_fact allocations_before_filters) + $(held_fact allocations_left_out)))"
echo "one of $(held_period) addresses; $(grep '^Run:' report)"
holds 'busy: one of 4 addresses, or fewer' [ "$(held_period)" -ge 4 ]
found=$(($(held_of busykeeper cache sock_alloc_inode) * $(held_period)))
holds "busy: $found of $((4 * pairs)) sockets" within_errors "$found" $((4 * pairs))
