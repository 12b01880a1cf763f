# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# A sample of addresses: what is held is estimated without bias, and what was freed is not held. Above
# the bound of its cost the run takes fewer addresses, and stays unbiased.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=held.sh source-path=SCRIPTDIR
. /tmp/cases/held.sh

readonly objects=20000 runs=6
insmod "$modules/vmtest_first.ko"

# deviation: of the estimate in ./counted, in standard errors of the number of sampled objects.
deviation()
{
	awk -v sampled="$(held_by vmtest_keep)" -v period="$(counted_as period)" -v truth="$objects" 'BEGIN {
		print (sampled - truth / period) / sqrt(truth / period * (1 - 1 / period)) }'
}

# is_within LIMIT NUMBER
is_within()
{
	awk -v limit="$1" -v number="$2" 'BEGIN { exit !(number <= limit && -number <= limit) }'
}

# Each address is taken with a chance of one in 16, the next power of two: one of 15,000 runs is out of
# 4 standard errors.
for ((n = 0; n < runs; n++)); do
	rm -f sampled.kmr
	profile "${held[@]}" --sample=12 --stacks=none --record sampled.kmr -- sh -c \
		"echo $objects > $known/keep; echo 2000 > $known/worker; echo 500 > $known/rcu; echo 2400 > $known/bulk"
	count_held sampled.kmr
	pairs_all 'one of 16'
	equals 'one of 16: the period' 16 "$(counted_as period)"
	equals 'one of 16: it was requested' '' "$(grep 'probes took' errors)"
	deviations[n]=$(deviation)
	holds "one of 16: $(held_by vmtest_keep) objects of $objects, ${deviations[n]} standard errors" \
		is_within 4 "${deviations[n]}"
	equals 'one of 16: what was freed is not held' 0 \
		"$(($(held_by vmtest_hand_over) + $(held_by vmtest_free_by_rcu)))"
	echo 1 > $known/release
done
# The sum of so many has the square root of their number as its standard error.
holds "one of 16: ${deviations[*]} together" is_within 4 \
	"$(printf '%s\n' "${deviations[@]}" | awk '{ n += $1 } END { print n / sqrt(NR) }')"

# Once a second the run looks whether it samples more.
kmalloc-top --module "$modules/kmt_all.ko" --max-overhead=1 "${held[@]}" --format=text --record bound.kmr -- sh -c \
	"workload open 10000; echo $objects > $known/keep; workload open 10000; sleep 2" > report 2> errors
status=$?
count_held bound.kmr
pairs_all 'too much'
holds "too much: one of $(counted_as period) addresses" [ "$(counted_as period)" -gt 1 ]
has_line 'too much: it is reported meanwhile' 'probes took more than 1 % of CPU' errors
holds "too much: $(held_by vmtest_keep) objects of $objects, $(deviation) standard errors" \
	is_within 4 "$(deviation)"
equals 'too much: files that were closed are not held' '' "$(held_by_process workload | grep -w filp)"
echo 1 > $known/release
rmmod vmtest_first
