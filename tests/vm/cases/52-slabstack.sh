# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who allocates from a slab cache: known work is counted to the last object, under its process and its
# cgroup, and the cache grows by just that, as the kernel says.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly times=700 pairs=600 comm=counted_work
collect=(--module "$modules/kmt_all.ko" "$every_event")

# stack CACHE ARG…: runs slabstack; leaves ./report, ./errors and $status.
stack()
{
	slabstack "${collect[@]}" "$@" > report 2> errors
	status=$?
}

# row_of COLUMN…: the allocations of the row of ./report, a table, whose last columns are these.
row_of()
{
	awk -v wanted="$*" '{
		key = $6
		for (i = 7; i <= NF; i++) key = key " " $i
	}
	key == wanted { gsub(/,/, "", $1); print $1 }' report
}

# The work, in a cgroup made for it.
cgroup=/sys/fs/cgroup/made-for-it
mkdir "$cgroup"
# shellcheck disable=SC2016 # for the shell inside
readonly in_cgroup='echo $$ > "$1/cgroup.procs"; shift; exec workload "$@"'

stack filp -- sh -c "$in_cgroup" sh "$cgroup" -n "$comm" open "$times"
is_complete 'open'
has_line 'open: the cache and what it grew by' \
	'^filp[ :].*in use [0-9,]+ -> [0-9,]+ \(.*, /proc/slabinfo\) in .*allocations traced' report
has_line 'open: the process' "^$comm:	$times	" report
equals 'open: one stack of the process' 1 "$(grep -c "^Exec: $comm Name: filp" report)"
has_line 'open: its count' "^Exec: $comm Name: filp .*Count: $times\$" report
has_line 'open: it reaches the system call' ' : do_sys_open' report
has_line 'open: each name was told' '^Names: 100 % told by the kernel$' report

stack filp --by=process,cache -- sh -c "$in_cgroup" sh "$cgroup" -n "$comm" open "$times"
is_complete 'open, a table'
# Other names of the cache follow it.
equals 'open, a table: the row' "$times" "$(awk -v comm="$comm" '$6 == comm && $7 == "filp" {
	gsub(/,/, "", $1); print $1 }' report)"

stack sock_inode_cache --by=cgroup,process -- sh -c "$in_cgroup" sh "$cgroup" -n "$comm" socketpair "$times"
is_complete 'socket pairs by cgroup'
equals 'socket pairs by cgroup: two each' $((2 * times)) "$(row_of /made-for-it "$comm")"

stack sock_inode_cache --cgroup '/made-*' --by=process \
	-- sh -c "workload socketpair 50; $in_cgroup" sh "$cgroup" -n "$comm" socketpair "$times"
is_complete 'one cgroup alone'
equals 'one cgroup alone: two each' $((2 * times)) "$(row_of "$comm")"
equals 'one cgroup alone: both parts of its work' $((4 * times)) "$(report_count report)"
has_line 'one cgroup alone: the others are told' "^Left out by --cgroup '/made-\\*': 1[0-9][0-9] " report

stack 'kmalloc*-192,filp' --by=cache -- workload pipe "$times"
is_complete 'a family'
holds 'a family: the pipes are in it' [ "$(report_count report)" -ge $((3 * times)) ]
equals 'a family: nothing else is' '' "$(awk '/^ALLOCATIONS/ { table = 1; next } !NF { table = 0 }
	table && $6 !~ /^(kmalloc.*-192|filp)$/' report)"

stack dup_cache -d 1
equals 'no such cache: exit status' 1 "$status"
equals 'no such cache: one line' 1 "$(wc -l < errors)"

# What the kernel says, exactly: objects that are kept, and none that CPUs keep for later.
shrink()
{
	echo 1 > /sys/kernel/slab/sock_inode_cache/shrink
}

in_use()
{
	awk '$1 == "sock_inode_cache" { print $2 }' /proc/slabinfo
}

mkfifo gate
workload -a - keep-sockets "$pairs" > kept 0<> gate &
worker=$!
wait_until 300 grep -q -x workload "/proc/$worker/comm"
slabstack "${collect[@]}" sock_inode_cache -O kept.report 2> errors &
program=$!
wait_for_probes
shrink
before=$(in_use)
echo > gate
wait_until 300 grep -q kept kept
sleep 1
shrink
after=$(in_use)
profile_ended INT
echo > gate
wait "$worker"
cp kept.report report
is_complete 'what is kept'
equals 'what is kept: the kernel has so many more' $((2 * pairs)) $((after - before))
counted=$(report_count report)
equals 'what is kept: as many were traced' $((2 * pairs)) "$counted"
# What it has itself opened on the way may fill a slab that the first reading counts as a whole.
has_line 'what is kept: the first line says it' \
	"^sock_inode_cache: in use [0-9]+ -> $(sed -E 's/(.)(...)$/\1,\2/' <<< "$after") \\(\\+1,[0-9]+, .*; 1,200 allocations traced; net growth is (9[89]|100) % of them" \
	report

slabstack > report 2> errors
equals 'without a cache: exit status' 0 "$?"
has_line 'without a cache: a table' '^CACHE +IN-USE +SIZE +CHANGE/s' report
equals 'without a cache: what to do next' 1 "$(tail -n 1 report | grep -c 'next: slabstack ')"
rmdir "$cgroup"
