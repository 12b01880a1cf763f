# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 5.10-stap5.6
# With perf events, each allocation is of the slab cache that it really is of: by the name that the
# kernel records, or, where it records none, by the page of the object or by probes at the allocator's
# entry. Both give the same names, also while slabs are freed and their pages become slabs of other
# caches. Nothing is left of the probes, however the run ended.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

pipes=400 more=1000

PATH=$PATH:/usr/lib/kmalloc-top

# events_by_cache RECORDING: "EVENTS CACHE" of kmem_cache_alloc; "-" is a cache that is not known.
events_by_cache()
{
	cache_counts "$1" | awk -F '\t' '
		$1 == "alloc" && $2 == "cache" { events[$4] += $7 }
		END { for (cache in events) print events[cache], cache }'
}

# of_cache FILE CACHE
of_cache()
{
	awk -v cache="$2" '$2 == cache { events = $1 } END { print events + 0 }' "$1"
}

# all_of FILE: the events of all caches.
all_of()
{
	awk '{ events += $1 } END { print events + 0 }' "$1"
}

# probes: those of this program that exist, by the kernel.
probes()
{
	if [ -e "$tracefs/kprobe_events" ]; then
		grep -c -F kmalloc_top_ "$tracefs/kprobe_events"
	else
		echo 0
	fi
}

has_no_probes()
{
	[ "$(probes)" = 0 ]
}

tracefs=$PWD/tracefs
mkdir tracefs
mount -t tracefs none "$tracefs"
trap 'umount "$tracefs"' EXIT

source='by the event'
grep -q 'char\[\] name;' "$tracefs/events/kmem/kmem_cache_alloc/format" || source='by probes'
has_pages=''
kmalloc-top --collector=perf --check --events=cache | grep -q 'by the pages of objects (/proc/kcore' &&
	has_pages=1
echo "names come $source${has_pages:+, or by pages}"

# Where neither the event nor the kernel's types have the name, the report says so.
collect_by perf
profile --events=cache --only-command --record first.kmr -- workload pipe 10
if cache_counts first.kmr | grep '^unknown'; then
	is_complete 'names are not known'
	equals 'names are not known: of no allocation' "$(all_of <(events_by_cache first.kmr))" \
		"$(of_cache <(events_by_cache first.kmr) -)"
	equals 'names are not known: nothing is left' 0 "$(probes)"
	exit
fi

# added CACHE: by the pipes that the second run has more.
added()
{
	echo $(($(of_cache "$count.caches" "$1") - $(of_cache "$pipes.caches" "$1")))
}

# check_names NAME ARG…
check_names()
{
	local name=$1
	shift
	# The start and the end of the program take the same of each cache in both runs.
	for count in "$pipes" $((pipes + more)); do
		rm -f "$count.kmr"
		profile --events=cache --only-command "$@" --record "$count.kmr" -- workload pipe "$count"
		is_complete "$name, $count pipes"
		events_by_cache "$count.kmr" > "$count.caches"
		equals "$name: every allocation has its cache" 0 "$(of_cache "$count.caches" -)"
		equals "$name: no allocation is missing" \
			"$(sed -n 's/^Total allocations (before filtering): //p' report | tail -n 1 | tr -d ,)" \
			"$(all_of "$count.caches")"
		equals "$name: nothing is left" 0 "$(probes)"
	done
	sort -n -r "$count.caches" | head -n 8
	equals "$name: two files for each pipe" $((2 * more)) "$(added filp)"
	equals "$name: a name for each pipe" "$more" "$(added dentry)"
	equals "$name: an inode for each pipe" "$more" "$(added inode_cache)"

	# The call sites of several caches: those of sockets, of every family its own.
	rm -f sockets.kmr
	profile --events=cache --only-command "$@" --record sockets.kmr -- workload -t 2 tcp-connect 30
	equals "$name, sockets: exit status" 0 "$status"
	events_by_cache sockets.kmr > sockets.caches
	# Those of the other side are made in softirqs.
	equals "$name, sockets: two that listen, and those that connect" 62 "$(of_cache sockets.caches TCP)"
	# The kernel does not call a probe in an interrupt that came while it called another one.
	if [ "$name" = 'by probes' ]; then
		holds "$name, sockets: as good as every allocation has its cache" \
			[ $(($(of_cache sockets.caches -) * 500)) -le "$(all_of sockets.caches)" ]
	else
		equals "$name, sockets: every allocation has its cache" 0 "$(of_cache sockets.caches -)"
	fi
}

# reuse_pages: files and sockets, processes, and caches that give their slabs back: to each other.
reuse_pages()
{
	for _ in 1 2 3; do
		workload create 300
		workload tcp-connect 30
		workload -t 2 socketpair 300
		find /usr/share /sys/kernel -maxdepth 3
		echo 2 > /proc/sys/vm/drop_caches
		for cache in /sys/kernel/slab/*/shrink; do
			echo 1 > "$cache"
		done
		for _ in 1 2 3 4 5; do
			true | cat
		done
	done > /dev/null 2>&1
}

if [ -n "$has_pages" ]; then
	kmalloc-top --collector=perf --check --events=cache > check || :
	has_line 'by pages: the check has the memory for it' \
		'^ok *Buffers: .* MB x 2 CPUs.*, and [0-9]+ KB for the ends of slabs, ' check
	check_names 'by pages'

	profile_started --events=cache
	equals 'by pages, a run has one probe' 1 "$(probes)"
	has_line 'it is where slabs end' "kmalloc_top_$program/__free_slab" "$tracefs/kprobe_events"
	profile_ended INT
	equals 'by pages, a run that is stopped leaves none' 0 "$(probes)"

	# The last allocations are looked up when the run has ended, and slabs still end.
	profile_started --events=cache --stacks=none --max-overhead=0
	reuse_pages
	reuse_pages &
	profile_ended INT
	wait "$!"
	grep -h '^Names: ' report
	equals 'while pages are reused: no end of a slab is missing' 0 \
		"$(grep -c 'ends of slabs were lost' report)"

	profile_started --events=cache --cache-names=compare --stacks=none --max-overhead=0
	reuse_pages
	profile_ended INT
	compared=$(sed -n 's/.*cache names compared: \([0-9]*\), .*/\1/p' errors)
	grep -h 'names compared' errors
	holds 'both ways are compared' [ "${compared:-0}" -gt 10000 ]
	has_line 'they find the same caches' 'cache names compared: [0-9]*, different: 0, ' errors
	# The probes at the entries make the kernel miss ends of slabs, which alone are few.
	unknown=$(sed -n 's/.*cache names compared: .* unknown: \([0-9]*\)$/\1/p' errors)
	holds 'most are found' [ $((${unknown:-$compared} * 2)) -lt "${compared:-0}" ]
	equals 'compared: exit status' 0 "$status"
	equals 'compared: nothing is left' 0 "$(probes)"
fi
if [ "$source" = 'by probes' ]; then
	check_names "$source" --cache-names=probes
else
	check_names "$source"
fi

if [ "$source" = 'by probes' ]; then
	profile_started --events=cache --cache-names=probes
	holds 'a run has probes' [ "$(probes)" -ge 2 ]
	has_line 'they are named after it' "kmalloc_top_$program/kmem_cache_alloc" "$tracefs/kprobe_events"
	profile_ended INT
	equals 'a run that is stopped leaves none' 0 "$(probes)"

	profile_started --events=cache --cache-names=probes
	profile_ended KILL
	holds 'a run that is killed leaves none' wait_until 30 has_no_probes

	# What only a reboot would remove else, as its watchdog is killed, too; and somebody else's.
	profile_started --events=cache --cache-names=probes
	kill -KILL "$(pgrep -x kmt-watchdog)"
	profile_ended KILL
	echo 'p:others/probe vfs_read' >> "$tracefs/kprobe_events"
	holds 'without its watchdog it does' [ "$(probes)" -ge 2 ]
	profile --events=kmalloc -c true
	equals 'the next run removes them' 0 "$(probes)"
	has_line 'those of others stay' '^p:others/probe ' "$tracefs/kprobe_events"
	echo '-:others/probe' >> "$tracefs/kprobe_events"

	# Where the buffer is too small probes are lost, too: never counted as allocations.
	work_waits gate 1 20000 pipe
	profile_started --events=cache --buffer 1 --record lost.kmr -p "$worker"
	kill -STOP "$program"
	echo > gate
	wait "$worker"
	kill -CONT "$program"
	profile_ended INT
	echo "too small a buffer: $(tail -n 1 report)"
	holds 'too small a buffer: something is lost' [ "$(report_lost report)" -gt 0 ]
	# As many for each pipe as above; others allocate next to nothing meanwhile.
	each=$((($(all_of "$count.caches") - $(all_of "$pipes.caches") + more / 2) / more))
	events=$(($(all_of <(events_by_cache lost.kmr)) + $(report_lost report)))
	echo "$each allocations for each pipe, $events counted or lost"
	holds 'too small a buffer: all there was' [ "$events" -ge $((20000 * each)) ]
	holds 'too small a buffer: no more than that' [ "$events" -lt $((21000 * each)) ]
else
	profile_started --events=cache
	equals 'a run needs no probes' 0 "$(probes)"
	profile_ended INT
fi

# paths FILE: how many cgroups with a path a recording's tasks are in.
paths()
{
	kmalloc-top -i "$1" --by=cgroup 2> /dev/null | awk '$NF ~ /^\// { paths++ } END { print paths + 0 }'
}

workload message 100000000 > /dev/null &
busy=$!
kmalloc-top --collector=perf --record=stacks.kmr -q -d 1 > report 2> errors
holds 'a recording has the paths of cgroups' [ "$(paths stacks.kmr)" -gt 0 ]
slabratetop --collector=perf --record=rates.kmr -q -d 1 > report 2> errors
kill "$busy"
holds 'a recording of rates has them as well' [ "$(paths rates.kmr)" -gt 0 ]
