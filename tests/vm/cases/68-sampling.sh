# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# One event of N stands for N, of whichever call path, also of a loop that keeps time with N; and a CPU
# on which the probes take too much takes fewer events by itself.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

pipes=20000
readonly on_one_cpu=(-- taskset -c 0 workload pipe "$pipes")

# about NAME WANT GOT PERCENT: GOT is within so many percent of WANT.
about()
{
	holds "$1: $3 is about $2" test $((100 * $3)) -ge $((($2) * (100 - $4))) -a \
		$((100 * $3)) -le $((($2) * (100 + $4)))
}

# The share of the busiest CPU, in hundredths of a percent.
busiest_cost()
{
	sed -n -E 's/^Run: .*, tracing took .*CPU [0-9]+: <?([0-9.]+) %\)$/\1/p' report |
		awk '{ printf "%d", $1 * 100 }'
}

# With the kernel's walk an event costs enough to be too much.
profile --stack-walk=kernel "${only_pipes[@]}" "${on_one_cpu[@]}"
is_complete 'every event'
equals 'every event: all are counted' $((2 * pipes)) "$(report_count report)"
all_bytes=$(report_bytes report allocated)
all_cost=$(busiest_cost)

# A pipe's two allocations take turns: with an even N, every Nth event would be the same one.
profile --record sampled.kmr -O sampled.report --sample=10 "${only_pipes[@]}" "${on_one_cpu[@]}"
cp sampled.report report
is_complete 'one of ten'
has_line 'one of ten: the report says so, with a margin' \
	'^Sampled: sampled 1/10; counts and bytes are scaled up; margin of the total \+-[1-4](\.[0-9])? % \(95 %\)$' \
	report
has_line 'one of ten: a stack has a margin' '^This path seen [0-9]+ times \(sampled, \+-[0-9.]+ %\):$' report
# Events are drawn one by one: of 40,000 at 1/10 the standard error is 1.5 %, and these are four.
about 'one of ten: allocations' $((2 * pipes)) "$(report_count report)" 6
about 'one of ten: bytes' "$all_bytes" "$(report_bytes report allocated)" 10
mv sampled.* "$recordings/"
echo "${only_pipes[*]}" > "$recordings/sampled.arguments"

collect=(--module "$modules/kmt_all.ko" "$every_event")
samples_evenly 3 open 20000 filp
samples_evenly 2 socketpair 10000 filp sock_inode_cache
samples_evenly 6 socketpair 10000 filp sock_inode_cache

# Longer: it takes a second or two to come down, which the report's share has in it.
pipes=$((4 * pipes))
kmalloc-top --module "$module" --max-overhead=2 --stack-walk=kernel "${only_pipes[@]}" -- taskset -c 0 workload pipe "$pipes" \
	> report 2> errors
status=$?
grep -E '^(Sampled|Run|Total kmallocs \(after)' report
cat errors
equals 'too much: exit status' 0 "$status"
has_line 'too much: the report says so' \
	'^Sampled: sampled 1/1 to 1/([4-9]|[0-9]{2,}), as probes took more than 2 % of a CPU' report
has_line 'too much: it is reported meanwhile' 'probes took more than 2 % of CPU 0: it takes 1 of' errors
about 'too much: allocations' $((2 * pipes)) "$(report_count report)" 20
holds "too much: the cost of $all_cost hundredths of a percent is bounded: $(busiest_cost)" \
	test "$(busiest_cost)" -lt $((all_cost * 3 / 4))
