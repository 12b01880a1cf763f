# shellcheck shell=bash
# shellcheck disable=SC2154 # set by lib.sh and held.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# What is held while a run goes on: in its reports, and in the tables of slabratetop.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=held.sh source-path=SCRIPTDIR
. "$cases/held.sh"
collect_by perf
keep_cpus_busy
trap 'kill "${spinners[@]}"' EXIT
open_gate

# has_reports COUNT: ./report has so many.
has_reports()
{
	[ "$(grep -c '^Lost: ' report)" -ge "$1" ]
}

# two_more_reports: waits for them; leaves the number of the last one in $newest. The first may have been
# begun before.
two_more_reports()
{
	newest=$(($(grep -c '^Lost: ' report) + 2))
	wait_until 600 has_reports "$newest"
}

# sockets_in NUMBER: what that report holds of their cache.
sockets_in()
{
	awk -v number="$1" 'BEGIN { at = 1 } at == number; /^Lost: / { at++ }' report |
		sed -n -E 's/^ *([0-9,]+) .* sock_inode_cache( .*)?$/\1/p' | tr -d ,
}

# newest_without_sockets: leaves the number of the last whole report in $newest. Inodes of sockets are freed after a
# grace period of RCU, which is long on a busy host.
newest_without_sockets()
{
	newest=$(grep -c '^Lost: ' report)
	[ -z "$(sockets_in "$newest")" ]
}

# Reports in the middle of a run: each has what is held at its time.
# Every process has cells of its own, also those of the host that are not shown: a build beside it fills the tables of
# the default memory in a minute.
readonly memory=--max-memory=1024
profile_started "${held[@]}" "$memory" --every=1 --by=cache --process=workload
two_more_reports
equals 'reports: before there are sockets' '' "$(sockets_in "$newest")"
starts_to_keep keep-sockets 700
two_more_reports
equals 'reports: they are held' 1400 "$(sockets_in "$newest")"
let_go
wait_until 600 newest_without_sockets
equals 'reports: they were freed' '' "$(sockets_in "$newest")"
kill -STOP "$program"
reports=$(grep -c '^Lost: ' report)
kill -INT "$program"
profile_ended CONT
equals 'reports: exit status' 0 "$status"
holds 'reports: the last one comes at the end' [ "$(grep -c '^Lost: ' report)" -gt "$reports" ]
profile --every=100 -d 1
equals 'reports: only the last one of a short run' 1 "$(grep -c '^Lost: ' report)"
profile --every=.2 -d 2 -O file
holds 'reports: before the one in a file' has_reports 1
equals 'reports: the file has the last one' 1 "$(grep -c '^Lost: ' file)"

# counts_of FILE: allocations and seconds of each report.
counts_of()
{
	sed -n -E -e 's/,//g' -e 's/^Total [a-z]+ \(before.*: //p' -e 's/^Run: .* ([0-9.]+) s perf.*/\1/p' "$1" |
		paste - -
}

# Each report shows the run up to its time, exactly, whatever had arrived then. Steady work: in half a percent of the
# second is 1 ms, which is how exactly a length is printed.
profile --every=1 -d 3 --events=cache --record=timed.kmr
counts_of report > counts
equals 'every: three reports' 3 "$(wc -l < counts)"
while read -r count seconds; do
	kmalloc-top -i timed.kmr --from=0 --to="$seconds" > part 2> /dev/null
	part=$(counts_of part | cut -f 1)
	holds "every: up to $seconds s $count, in the recording $part" \
		[ $(((count - part) * (count - part))) -le $((part * part / 40000 + 100)) ]
done < counts

# The lengths of the pieces of a recording add up to that of the run.
profile -d 3 --record=pieces.kmr --record-rotate=1s,9
run_seconds=$(counts_of report | cut -f 2)
sum=$(for piece in pieces.0*.kmr; do
	kmalloc-top -i "$piece" 2> /dev/null > part
	counts_of part | cut -f 2
done | awk '{ sum += $1 } END { printf "%.2f", sum }')
holds "pieces: $sum s of $run_seconds s" awk "BEGIN { exit !(($sum - $run_seconds) ^ 2 < 0.0004) }"

# has_tables COUNT: ./tables has so many lines.
has_tables()
{
	[ "$(wc -l < tables)" -ge "$1" ]
}

# two_more_tables: waits for them. The first may have been begun before.
two_more_tables()
{
	wait_until 600 has_tables $(($(wc -l < tables) + 2))
}

# sockets_in_table: what the last one has of their cache.
sockets_in_table()
{
	tail -n 1 tables | sed -n 's/.*"cache":"sock_inode_cache"[^}]*"objects_held":\([0-9]*\).*/\1/p'
}

tables_without_sockets()
{
	[ "$(($(sockets_in_table)))" = 0 ]
}

rm -f errors
env --default-signal=INT slabratetop "${collect[@]}" -v --held "$memory" --json --process=workload 1 \
	> tables 2> errors &
program=$!
wait_for_probes
starts_to_keep keep-sockets 700
two_more_tables
equals 'tables: sockets are held' 1400 "$(sockets_in_table)"
two_more_tables
equals 'tables: they stay, without new ones' 1400 "$(sockets_in_table)"
let_go
wait_until 600 tables_without_sockets
equals 'tables: they were freed' 0 "$(($(sockets_in_table)))"
profile_ended INT
equals 'tables: exit status' 0 "$status"
