# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# Who allocates from a slab cache: known work is counted to the last object, under its process and its
# cgroup, and the cache grows by just that, as the kernel says.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly times=700 pairs=600 comm=counted_work
collect=(--module "$modules/kmt_all.ko" "$every_event")

# stack ARG…: runs slabstack; leaves ./report, ./errors and $status.
stack()
{
	slabstack "$@" > report 2> errors
	status=$?
}

# allocations NAME…: of the row of ./report, a table, whose names are these; other names of a cache may
# follow.
allocations()
{
	awk -v wanted="$*" '/^ALLOCATIONS/ { table = 1; next }
	!NF { table = 0 }
	table {
		names = $6
		for (i = 7; i <= NF; i++) names = names " " $i
		if (index(names " ", wanted " ") == 1) { gsub(/,/, "", $1); print $1 }
	}' report
}

# The work, in a cgroup made for it; and some of the same outside. The second half of each is done by
# the name that is counted.
cgroup=/sys/fs/cgroup/made-for-it
mkdir "$cgroup"
# shellcheck disable=SC2016 # for the shell inside
readonly work='workload socketpair 50
	echo $$ > "$1/cgroup.procs"
	workload -n "$2" open "$3" && workload -n "$2" socketpair "$3"'
stack "${collect[@]}" filp,sock_inode_cache --format=text --record work.kmr -- sh -c "$work" sh "$cgroup" "$comm" "$times"
is_complete 'live'
has_line 'live: what the cache grew by' \
	'^filp[ :].*in use [0-9,]+ -> [0-9,]+ \(.*, /proc/slabinfo(, up to [0-9,]+ of them free in sheaves)?\) in .*allocations traced' report
equals 'live: the kernel reported each name' '' "$(grep '^Names: ' report)"

stack -i work.kmr filp
is_complete 'one cache'
has_line 'one cache: its process, for each file and two for each pair' "^$comm:	$((3 * times))	" report
equals 'one cache: the stack of open' 1 \
	"$(grep -A 12 -E "^Exec: $comm Name: filp.* Count: $times\$" report | grep -c ' : do_sys_open')"
equals 'one cache: all stacks of the process' 3 "$(grep -c -E "^Exec: $comm Name: filp.* Count: $times\$" report)"

stack -i work.kmr --by=process,cache
equals 'a table: files' $((3 * times)) "$(allocations "$comm" filp)"
equals 'a table: sockets' $((2 * times)) "$(allocations "$comm" sock_inode_cache)"

stack -i work.kmr sock_inode_cache --by=cgroup,process
equals 'by cgroup' $((2 * times)) "$(allocations /made-for-it "$comm")"

stack -i work.kmr sock_inode_cache --cgroup '/made-*' --by=process
equals 'one cgroup alone' $((2 * times)) "$(allocations "$comm")"
equals 'one cgroup alone: both halves of its work' $((4 * times)) "$(report_count report)"
has_line 'one cgroup alone: the others are shown as left out' "^Left out: [1-9][0-9,]+ allocations not of --cgroup '/made-\\*'" report

pipe_bytes=192
# There, locks are larger, so a pipe is, too.
[[ $(uname -v) == *PREEMPT_RT* ]] && pipe_bytes=256
stack "${collect[@]}" "kmalloc*-$pipe_bytes,filp" --by=cache -- workload pipe "$times"
is_complete 'a family'
holds 'a family: the pipes are in it' [ "$(report_count report)" -ge $((3 * times)) ]
equals 'a family: nothing else is' '' "$(awk '/^ALLOCATIONS/ { table = 1; next } !NF { table = 0 }
	table && $6 !~ /^(kmalloc.*-'$pipe_bytes'|filp)$/' report)"

stack "${collect[@]}" dup_cache -d 1
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
sleep 1
shrink
rm -f errors
slabstack "${collect[@]}" sock_inode_cache -v -O kept.report 2> errors &
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
# What it has itself opened since then may fill slabs that the first reading counts as a whole.
has_line 'what is kept: the first line says it' \
	"^sock_inode_cache: in use [0-9]+ -> $(sed -E 's/(.)(...)$/\1,\2/' <<< "$after") \\(\\+1,[0-9]+, .*; 1,200 allocations traced; net growth is (9[0-9]|100)(\\.[0-9]+)? % of them" \
	report

slabstack > report 2> errors
equals 'without a cache: exit status' 0 "$?"
has_line 'without a cache: a table' '^CACHE +IN-USE +USE% +OBJECT-BYTES +SIZE-BYTES +CHANGE-BYTES/s' report
has_line 'without a cache: the verdict first' '^Verdict: ' <(head -n 1 report)
has_line 'without a cache: all memory' '^Memory [0-9.]+ .iB, available [0-9.]+ .iB' report
has_line 'without a cache: where it is' '^slab, unreclaimable +[0-9.]+ .iB ' report
has_line 'without a cache: what can be reclaimed is apart' '^RECLAIMABLE CACHE +IN-USE' report
equals 'without a cache: and not above' '' "$(sed '/^RECLAIMABLE/,$d' report | grep -E '^(dentry|inode_cache) ')"
# caches_with_objects: the names in /proc/slabinfo, sorted. Some caches have the same name (9p-fcall-cache on 5.10).
caches_with_objects()
{
	awk 'NR > 2 && $2 + $15 > 0 { print $1 }' /proc/slabinfo | sort -u
}

caches_with_objects > before
env --default-signal=INT slabstack --all -d 60 > report 2> errors &
program=$!
sleep 2
kill -INT "$program"
wait "$program"
equals 'without a cache: Ctrl-C ends it early' 0 "$?"
# A cache may get its first objects, or lose its last ones, after the report.
caches_with_objects > after
sed -n -E 's/^([^ ]+) +[0-9,]+ +[0-9.<-]+ +[0-9,]+ +[0-9,]+ .*/\1/p' report | sort > listed
equals 'without a cache: all of them' '' "$(comm -12 before after | comm -23 - listed)"
equals 'without a cache: and no others' '' "$(sort -u before after | comm -13 - listed)"
holds 'without a cache: most have objects' [ "$(comm -12 before after | wc -l)" -gt 50 ]
equals 'without a cache: what to do next' 1 "$(grep -c '^Next: .*slabstack ' report)"
rmdir "$cgroup"
