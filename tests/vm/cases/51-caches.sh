# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each event tells its slab cache: known work is counted in the right one, a filter lets through its
# objects alone, and offsets that lie cost the names and nothing else.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly counts=/usr/lib/kmalloc-top/cache_counts
# The work is done twice, the second time by this name: so the count is of the work alone.
readonly comm=counted_work
readonly times=300

# named NAME: what the kernel's structure calls the cache. Merged ones have the name of the first,
# which is the one in /proc/slabinfo.
named()
{
	local name
	while read -r name _; do
		[ "$(readlink -f "/sys/kernel/slab/$name")" = "$(readlink -f "/sys/kernel/slab/$1")" ] ||
			continue
		echo "$name"
		return
	done < <(tail -n +3 /proc/slabinfo)
}

# count EVENT SOURCE CACHE FILE: of the counted work; CACHE is a regular expression for all of a name
# without what is appended for a cgroup's copy.
count()
{
	"$counts" "$4" | awk -F '\t' -v event="$1" -v source="$2" -v cache="^($3)$" -v comm="$comm" '
		{ sub(/\([0-9]+:.*/, "", $4) }
		$1 == event && $2 == source && $3 == comm && $4 ~ cache { sum += $7 }
		END { print sum + 0 }'
}

# recorded KIND: a recording of that work, ./KIND.kmr.
recorded()
{
	kmalloc-top --module "$modules/kmt_all.ko" "$every_event" --events=kmalloc,cache,free \
		--record "$1.kmr" -- workload -n "$comm" "$1" "$times" > report 2> errors
	status=$?
	is_complete "$1"
	equals "$1: nothing keeps names from being told" 0 "$("$counts" "$1.kmr" | grep -c '^unknown')"
}

# The second opinion: names at the entry of each function that allocates from a cache.
second_names_started()
{
	local probes
	probes=$(awk '$3 ~ /^kmem_cache_alloc(_lru|_node)?(_noprof)?$/ { print "kprobe:" $3 }' /proc/kallsyms |
		sort -u | paste -s -d ,)
	bpftrace -e "$probes /comm == \"$comm\"/ {
			@c[str(((struct kmem_cache *)arg0)->name)] = count(); }
		tracepoint:kmem:kmalloc /comm == \"$comm\"/ { @k[args.bytes_alloc] = count(); }" \
		> second.out 2>&1 &
	second_pid=$!
	wait_until 600 grep -q -i attach second.out && sleep 2
}

# second_names: lines "c NAME COUNT" and "k BYTES COUNT".
second_names()
{
	sed -n -E 's/^@([ck])\[(.*)\]: ([0-9]+)$/\1 \2 \3/p' second.out | sort
}

# first_names FILE: the same of a recording.
first_names()
{
	"$counts" "$1" | awk -F '\t' -v comm="$comm" '
		$1 == "alloc" && $3 == comm && $2 == "cache" { sum["c " $4] += $7 }
		$1 == "alloc" && $3 == comm && $2 == "kmalloc" { sum["k " $6] += $7 }
		END { for (key in sum) print key, sum[key] }' | sort
}

# Some kernels have caches of their own for what accounting, chance or its use tells apart.
readonly of_kmalloc='(kmalloc(-cg|-rnd-[0-9]+)?|msg_msg)'
filp=$(named filp)
inode=$(named sock_inode_cache)
[ ! -x "$(command -v bpftrace)" ] || second_names_started
recorded open
recorded dup
recorded socketpair
recorded pipe
recorded message
if [ -x "$(command -v bpftrace)" ]; then
	second_ended
	for kind in open dup socketpair pipe message; do
		first_names "$kind.kmr"
	done | awk '{ sum[$1 " " $2] += $3 } END { for (key in sum) print key, sum[key] }' | sort > first
	second_names > second
	equals "by name and by size: as $second_name counts them" "$(cat second)" "$(cat first)"
	holds 'by name and by size: some were counted' [ "$(wc -l < first)" -ge 5 ]
fi

equals 'opened files: one of filp each' "$times" "$(count alloc cache "$filp" open.kmr)"
equals 'duplicated files: none of filp' 0 "$(count alloc cache "$filp" dup.kmr)"
equals 'socket pairs: two of filp each' $((2 * times)) "$(count alloc cache "$filp" socketpair.kmr)"
equals 'socket pairs: two inodes each' $((2 * times)) "$(count alloc cache "$inode" socketpair.kmr)"
equals 'pipes: one of each class of kmalloc' "$times $times" \
	"$(count alloc kmalloc "$of_kmalloc-192" pipe.kmr) $(
	count alloc kmalloc "$of_kmalloc-1k" pipe.kmr)"
equals 'messages: one of their class each' "$times" \
	"$(count alloc kmalloc "$of_kmalloc-512" message.kmr)"
equals 'messages: their frees are of the same' "$times" \
	"$(count free kmalloc "$of_kmalloc-512" message.kmr)"
equals 'caches have both sizes' 0 \
	"$("$counts" open.kmr | awk -F '\t' '$4 != "-" && $4 != "kmalloc-large" && !($5 && $6 >= $5)' | wc -l)"

# module_run NAME PARAMETER…: the module as the program starts it, its output in ./NAME.kms.
module_run()
{
	local name=$1
	shift
	staprun "$modules/kmt_all.ko" kmt_events=3 "$@" > "$name.kms" 2> errors &
	program=$!
	wait_for_probes
	workload -n "$comm" open "$times" > /dev/null
	sleep 1
	pkill -INT -x stapio
	wait "$program"
}

# sizes FILE: of the cache of open files.
sizes()
{
	"$counts" "$1" | awk -F '\t' -v comm="$comm" -v cache="$filp" \
		'$2 == "cache" && $3 == comm && index($4, cache) == 1 { print $5, $6 }' | sort -u
}

module_run searched
equals 'without offsets the caches are found' "$times" "$(count alloc cache "$filp" searched.kms)"
equals 'without offsets: their sizes, too' "$(sizes open.kmr)" "$(sizes searched.kms)"

module_run filtered "kmt_caches=\"no such cache	$filp\""
equals 'a filter: its objects are counted' "$times" "$(count alloc cache "$filp" filtered.kms)"
equals 'a filter: nothing else is' "$filp" \
	"$("$counts" filtered.kms | awk -F '\t' '$1 == "alloc" { sub(/\([0-9]+:.*/, "", $4); print $4 }' | sort -u)"
has_line 'a filter: it is told' "^filter.*$filp" <("$counts" filtered.kms)

# lies NAME PARAMETER…: nothing but the reason is told, and nothing is missing.
lies()
{
	local name=$1
	shift
	module_run "$name" kmt_caches=no_such_cache "$@"
	has_line "$name: the reason is told" '^unknown.*refused' <("$counts" "$name.kms")
	equals "$name: no cache is told" "-" \
		"$("$counts" "$name.kms" | awk -F '\t' '$1 == "alloc" { print $4 }' | sort -u)"
	equals "$name: nothing is filtered" 0 "$("$counts" "$name.kms" | grep -c '^filter')"
	holds "$name: all is counted" [ "$(count alloc cache - "$name.kms")" -ge "$times" ]
}

dmesg > before
lies zero kmt_slab_cache_offset=0 kmt_cache_name_offset=0 kmt_cache_object_offset=0 kmt_cache_size_offset=0
lies unmapped kmt_slab_cache_offset=1099511627776
lies impossible kmt_cache_name_offset=9223372036854775807 kmt_cache_size_offset=-4096
lies unaligned kmt_cache_name_offset=89
lies another_member kmt_slab_cache_offset=32
lies other_sizes kmt_cache_object_offset=0 kmt_cache_size_offset=4
dmesg > after
equals 'offsets that lie: the kernel complains of nothing' '' \
	"$(diff before after | grep -E '^>.*(BUG|Oops|WARNING|Call Trace|general protection|page fault)')"
