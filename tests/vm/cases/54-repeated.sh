# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# Equal allocations of a millisecond in one record, as for tables of rates: nothing of one process is
# another's, nor of an interrupt the interrupted one's, and none is missing.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=caches.sh source-path=SCRIPTDIR
. /tmp/cases/caches.sh

readonly pipes=20000 work=5000
readonly parameters=/sys/module/vmtest_first/parameters
# As in 51-caches.
readonly of_kmalloc='^kmalloc(-cg|-rnd-[0-9]+)?'

# repeated NAME PARAMETER…: two processes that take turns on one CPU, in ./NAME.kms.
repeated()
{
	local name=$1
	shift
	staprun "$modules/kmt_all.ko" kmt_events=1 kmt_layout=-1,-1,-1,-1 kmt_depth=0 kmt_repeat_ns=1000000 "$@" > "$name.kms" 2> errors &
	program=$!
	wait_until 300 [ -s "$name.kms" ]
	taskset -c 0 workload -n first pipe "$pipes" > /dev/null &
	taskset -c 0 workload -n second pipe "$pipes" > /dev/null &
	wait -n
	wait -n
	taskset -c 0 ./teller -c "echo $work > $parameters/task; echo $work > $parameters/hardirq"
	sleep 1
	pkill -INT -x stapio
	wait "$program"
	"$counts" "$name.kms" > "$name.counts"
}

# sum NAME COMM CLASS CONTEXT
sum()
{
	awk -F '\t' -v comm="$2" -v cache="$of_kmalloc-$3$" -v context="$4" '
		$2 == "kmalloc" && $3 == comm && $4 ~ cache && $8 == context { sum += $7 }
		END { print sum + 0 }' "$1.counts"
}

# differs_by A B: in percent of B, rounded up.
differs_by()
{
	awk -v a="$1" -v b="$2" 'BEGIN { d = (a > b ? a - b : b - a) * 100 / b; print int(d) + (d > int(d)) }'
}

cp /bin/sh teller
insmod /tmp/modules/vmtest_first.ko
repeated all
equals 'two on one CPU: all of the first' "$pipes" "$(sum all first 1k task)"
equals 'two on one CPU: all of the second' "$pipes" "$(sum all second 1k task)"
equals 'an interrupt: all of its own' "$work" "$(sum all teller 512 hardirq)"
holds 'an interrupt: the process has the other' [ "$(sum all teller 512 task)" -ge "$work" ]
holds 'an interrupt: and hardly more' [ "$(sum all teller 512 task)" -le $((work + 20)) ]
# Two pieces for each pipe; one record of its own would have 16 bytes.
holds 'records stand for many' [ "$(stat -c %s all.kms)" -lt $((2 * 2 * pipes * 16 / 2)) ]
kmalloc-top -i all.kms > report
has_line 'nothing is lost' '^Lost: none$' report

repeated sampled kmt_sampling=10
holds 'of one in ten the first' [ "$(differs_by "$(sum sampled first 1k task)" "$pipes")" -le 10 ]
holds 'of one in ten the second' [ "$(differs_by "$(sum sampled second 1k task)" "$pipes")" -le 10 ]
rmmod vmtest_first
