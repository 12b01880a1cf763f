# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# With perf events, --held records what is needed to pair each allocation with its free, whoever frees,
# and however; nothing of its probes is left behind; and above its bound a run ends.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=held.sh source-path=SCRIPTDIR
. "$cases/held.sh"
collect_by perf

tracefs=$PWD/tracefs
mkdir tracefs
mount -t tracefs none "$tracefs"

keep_cpus_busy
trap 'kill "${spinners[@]}"; umount "$tracefs"' EXIT

# probes: those of this program that exist, by the kernel.
probes()
{
	[ ! -e "$tracefs/kprobe_events" ] || grep -F kmalloc_top_ "$tracefs/kprobe_events"
}

has_no_probes()
{
	[ -z "$(probes)" ]
}

has_kprobes=
[ ! -e "$tracefs/kprobe_events" ] || has_kprobes=1

# recycled: the allocations at addresses that were used again without a free.
recycled()
{
	awk '$1 == "recycled" { n += $NF } END { print n + 0 }' counted
}

# is_paired NAME: every free was seen, unless it was lost: of the whole host, any collector may lose some
# events. Without kprobes, some frees are never seen.
is_paired()
{
	echo "$1: $(tail -n 1 report)"
	equals "$1: exit status" 0 "$status"
	equals "$1: no probe was missed" 0 "$(counted_as missed)"
	[ -n "$has_kprobes" ] || return
	holds "$1: $(recycled) addresses were used again without a free" \
		[ "$(recycled)" -le "$(report_lost report)" ]
}

# mapped_files PID: how many files a process maps, with the program and its loader.
mapped_files()
{
	awk '$6 ~ "^/" { files[$6] } END { print length(files) }' "/proc/$1/maps"
}

open_gate

# What stays, beside what is freed at once, and what a softirq frees later.
profile_started "${held[@]}" --record host.kmr
workload open 3000 > /dev/null
workload pipe 500 > /dev/null
starts_to_keep keep-sockets 700
mapped=$(mapped_files "$keeper")
sleep 1
profile_ended INT
let_go
count_held host.kmr
is_paired 'the host'
# Without kprobes, the frees of some caches are seen seldom or never: they are named, and left out.
if [ -z "$has_kprobes" ] && [ "$(counted_as recycled maple_node)" -ge 20 ]; then
	kmalloc-top -i host.kmr --held > named || true
	has_line 'the host: a cache whose frees are not seen is named' '^Not paired: .*maple_node \([0-9.]+ % of' named
	equals 'the host: ... and left out' '' "$(kmalloc-top -q -i host.kmr --held --by=cache | sed '/^$/q' | grep maple_node)"
fi
equals 'the host: two sockets of each pair are held' 1400 "$(held_of workload cache sock_alloc_inode)"
holds 'the host: and their files' [ "$(held_of workload cache sock_alloc_file)" -ge 1400 ]
# But for the libraries of the process that stays: an object of filp and one of lsm_file_cache each.
opened=$(held_of workload cache 'alloc_empty_file<(.*<)?do_sys_openat?2?')
holds "the host: the files that were closed are not, $opened objects are, $mapped files are mapped" \
	[ "$opened" -le $((2 * mapped)) ]
equals 'the host: nor are the pipes' 0 "$(held_of workload kmalloc "$pipe_frame")"
equals 'the host: nor their inodes' 0 "$(held_of workload cache create_pipe_files)"
holds 'the host: own allocations are marked' grep -q ^own counted
# check-vm compares this report with that of its host.
if [ -d "$recordings" ]; then
	cp host.kmr "$recordings/held.kmr"
	echo --held > "$recordings/held.arguments"
	kmalloc-top -i host.kmr --held > "$recordings/held.report"
fi
# On the machine that builds, others may run.
[ ! -e "$module" ] || equals 'the host: ... and not held' '' "$(held_by_process kmalloc-top)"

# One of 16 addresses, taken when events are read: both events of an object, or none.
profile_started "${held[@]}" --sample=12 --record sampled.kmr
workload open 3000 > /dev/null
starts_to_keep keep-sockets 700
sleep 1
profile_ended INT
let_go
count_held sampled.kmr
is_paired 'a sample'
equals 'a sample: the period' 16 "$(counted_as period)"
sockets=$(held_of workload cache sock_alloc_inode)
# One of 15,000 runs is out of 4 standard errors.
holds "a sample: $sockets of 1400 sockets are held, within 4 standard errors" awk -v n="$sockets" \
	'BEGIN { off = n - 1400 / 16; exit !(off * off <= 16 * 1400 / 16 * 15 / 16) }'
opened=$(held_of workload cache 'do_sys_openat?2?')
holds "a sample: the files that were closed are not, $opened are" [ "$opened" -le 5 ]
holds 'a sample: it is reported as one' grep -q '^Sampled by address: .* 16' report

# Filters apply to allocations: RCU frees inodes in softirqs, of no process.
profile "${held[@]}" --only-command --record command.kmr -- sh -c 'workload pipe 500; sleep 1'
count_held command.kmr
is_paired 'the command'
equals 'the command: what a softirq frees is not held' 0 "$(held_by create_pipe_files)"
equals 'the command: nobody else allocates' '' "$(held_by_process '[^sw].*')"
holds 'the command: frees of others are recorded' [ "$(counted_as unknown cache)" -gt 0 ]

# A requested cache: its frees are not filtered either.
slabstack --collector=perf "$every_event" --held --format=text --record cache.kmr -c 'workload open 1000' filp \
	> report 2> errors
status=$?
count_held cache.kmr
holds 'a cache: its frees are paired' [ "$(counted_as free cache)" -ge 1000 ]
# The kernel can skip other caches only where its tracepoint has their name.
if grep -q 'char\[\] name;' "$tracefs/events/kmem/kmem_cache_alloc/format"; then
	equals 'a cache: no other' '' "$(awk -F '\t' '$1 == "held" && $3 != "filp"' counted)"
fi

profile --held --events=page --record pages.kmr -- workload pipe-page 500
count_held pages.kmr
is_paired 'pages'
holds 'pages: those of pipes are freed' [ "$(counted_as free page)" -ge 500 ]
equals 'pages: those of pipes are not held' '' "$(held_by_process workload | grep pipe_write)"
equals 'pages: no objects are freed' 0 "$(($(counted_as free kfree) + $(counted_as unknown kfree)))"

# New slabs: the objects count, so their pages do not.
profile_started --held --events=kmalloc,cache,page
starts_to_keep keep-sockets 700
profile_ended INT
let_go
has_line 'slabs: their pages are not held a second time' '^Pages of slabs and large kmallocs: [0-9]' report

# Per-CPU memory and the vmalloc area: a kworker frees the maps that were closed.
ranges=percpu
[ ! -e "$tracefs/events/vmalloc/alloc_vmap_area" ] || ranges=percpu,vmalloc

# holds_maps NAME: those that stay, by whichever collector.
holds_maps()
{
	profile_started --held --events="$ranges" --record "$1.kmr"
	starts_to_keep keep-maps 40
	sleep 2
	profile_ended INT
	let_go
	count_held "$1.kmr"
	is_paired "maps, $1"
	equals "maps, $1: a per-CPU allocation of each is held" 40 "$(held_of workload percpu array_map_alloc)"
	[ "$ranges" = percpu ] ||
		equals "maps, $1: so is a vmalloc range" 40 "$(held_of workload vmalloc array_map_alloc)"
}

holds_maps perf
if [ -e "$modules/kmt_all.ko" ]; then
	collect_by kmt_all
	holds_maps stap
	collect_by perf
fi
if [ "$ranges" = percpu ]; then
	profile --events=+vmalloc -- true
	equals 'no vmalloc: exit status' 1 "$status"
	has_line 'no vmalloc: the reason and the remedy' \
		'no tracepoint vmalloc:alloc_vmap_area: leave vmalloc out of --events$' errors
fi

if [ -n "$has_kprobes" ]; then
	profile_started "${held[@]}"
	holds 'a run has probes' [ "$(probes | grep -c -E 'kvfree_call_rcu|kmem_cache_free_bulk')" = 2 ]
	profile_ended INT
	equals 'a run that is stopped leaves none' '' "$(probes)"
	profile_started "${held[@]}"
	profile_ended KILL
	holds 'a run that is killed leaves none' wait_until 20 has_no_probes
	kmalloc-top --check --held --collector=perf > checked
	has_line 'the check names them' '^ok +Held: .*kvfree_call_rcu, kmem_cache_free_bulk.*, by kprobes' checked
fi

if [ -e "$modules/vmtest_first.ko" ]; then
	insmod "$modules/vmtest_first.ko"
	profile "${held[@]}" --only-command --record module.kmr -- sh -c "echo 1000 > $known/keep
		echo 2000 > $known/worker; echo 500 > $known/rcu; echo 2400 > $known/bulk"
	count_held module.kmr
	is_paired 'a module'
	equals 'a module: what is kept is held' 1000 "$(held_by vmtest_keep)"
	equals 'a module: what a kworker freed is not' 0 "$(held_by vmtest_hand_over)"
	equals 'a module: what RCU frees is not' 0 "$(held_by vmtest_free_by_rcu)"
	# Before 6.9 or so, kprobes cannot report what is allocated in bulk.
	if grep -q -s kmem_cache_alloc_bulk_noprof /proc/kallsyms; then
		equals 'a module: a third of what was allocated in bulk is held' 800 \
			"$(held_by vmtest_allocate_bulk vmtest_bulk)"
	fi
	echo 1 > $known/release
	rmmod vmtest_first
fi

# What the kernel records is too much, however few addresses are followed: the run ends.
workload message 100000000 > /dev/null &
busy=$!
kmalloc-top --collector=perf --held --max-overhead=1 --format=text --record bound.kmr > report 2> errors
equals 'above the bound: exit status' 3 "$?"
kill "$busy"
has_line 'above the bound: the reason and the remedy' \
	'^Ended early: tracing took more than 1 % of CPU [0-9]+: .*--max-overhead.*--collector=stap' report
has_line 'above the bound: it is said at once' \
	'^kmalloc-top: the run ends early: tracing took more than 1 % of CPU [0-9]+: ' errors
