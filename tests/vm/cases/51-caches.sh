# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# Each event has its slab cache: known work is counted in the right one.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=caches.sh source-path=SCRIPTDIR
. /tmp/cases/caches.sh

# recorded KIND: a recording of that work, ./KIND.kmr.
recorded()
{
	kmalloc-top --module "$modules/kmt_all.ko" "$every_event" --events=kmalloc,cache,free \
		--format=text --record "$1.kmr" -- workload -n "$comm" "$1" "$times" > report 2> errors
	status=$?
	is_complete "$1"
	equals "$1: nothing keeps names from being known" 0 "$("$counts" "$1.kmr" | grep -c '^unknown')"
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

# Some kernels have separate caches by accounting, by chance or by use.
readonly of_kmalloc='(kmalloc(-cg|-rnd-[0-9]+)?|msg_msg)'
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
