# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# boot: slab_debug=U,filp,sock_inode_cache,lsm_file_cache,vm_area_struct,maple_node
# What is held is what the kernel itself knows: it notes the stack of each object of these caches.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=held.sh source-path=SCRIPTDIR
. /tmp/cases/held.sh

readonly noted=(filp sock_inode_cache lsm_file_cache vm_area_struct maple_node)
exec {nothing}<> <(:)

# The first frames of a stack as one word: the kernel notes 16, and leaves out its own.
readonly join='
	function joined(functions, separator,    n, i, list, used, all) {
		n = split(functions, list, separator)
		for (i = 1; i <= n && used < 10; i++)
			if (list[i] !~ /^(kmem_cache_alloc|__pcs_|alloc_from_pcs|___slab)/) {
				all = all "<" list[i]
				used++
			}
		return all
	}'

# idle SECONDS: without a process, whose objects would count.
idle()
{
	read -r -t "$1" -u "$nothing"
}

# read_noted FILE: three readings. What RCU frees is noted until it is done, which takes up to 5 s.
read_noted()
{
	local cache lines reading
	idle 10
	for reading in 1 2 3; do
		echo "reading $reading"
		for cache in "${noted[@]}"; do
			mapfile -t lines < "/sys/kernel/debug/slab/$cache/alloc_traces"
			printf '%s\n' "cache $cache" "${lines[@]}" ''
		done
		idle 0.7
	done > "$1"
}

# noted_stacks FILE: a line CACHE FRAMES COUNT for each stack, with the smallest count of all readings: the
# collector opens files of its own twice a second, for a moment.
noted_stacks()
{
	awk "$join"'
		function end_stack() {
			if (count)
				all[cache " " joined(frames, "<"), reading] += count
			if (count)
				stacks[cache " " joined(frames, "<")]
			count = 0
			frames = ""
		}
		$1 == "reading" { reading = $2 }
		$1 == "cache" { cache = $2 }
		!NF { end_stack() }
		/^ *[0-9]+ [^ ]/ { count = $1 }
		/^        / { sub(/\+.*/, "", $1); frames = frames (frames == "" ? "" : "<") $1 }
		END {
			for (stack in stacks) {
				least = all[stack, 1] + 0
				for (i = 2; i <= reading; i++)
					if (all[stack, i] + 0 < least)
						least = all[stack, i] + 0
				if (least)
					print stack, least
			}
		}' "$1" | sort
}

# grown: how many objects of each stack are noted more than before.
grown()
{
	join -j 1 -a 1 -a 2 -e 0 -o 0,1.2,2.2 <(noted_stacks before | sed 's/ </:</') \
		<(noted_stacks after | sed 's/ </:</') | awk '$3 != $2 { print $1, $3 - $2 }'
}

# held_stacks: what is held of these caches, in the same form.
held_stacks()
{
	awk -F '\t' "$join"'
		$1 == "held" { all[$3 ":" joined($6, "<")] += $5 }
		END { for (stack in all) print stack, all[stack] }' counted | sort
}

# of_cache CACHE: of lines like those.
of_cache()
{
	grep "^$1:" | sort
}

# sum: of the counts of such lines.
sum()
{
	awk '{ n += $NF } END { print n + 0 }'
}

for cache in "${noted[@]}"; do
	equals "the kernel notes the stacks of $cache" 1 "$(cat "/sys/kernel/slab/$cache/store_user")"
done

mkfifo go
exec {go}<> go
profile_started "${held[@]}" --record exact.kmr
read_noted before
workload open 2000
for _ in $(seq 20); do /bin/true; done
workload keep-sockets 700 < go > said &
workload=$!
until [ -s said ]; do idle 0.1; done
read_noted after
profile_ended INT
echo >&"$go"
wait "$workload"

count_held exact.kmr
pairs_all 'the kernel'
grown > noted
held_stacks > held
for cache in filp sock_inode_cache lsm_file_cache; do
	holds "$cache: $(of_cache "$cache" < noted | sum) are noted" \
		[ "$(of_cache "$cache" < noted | sum)" -ge 1400 ]
	equals "$cache: each stack holds what is noted" '' \
		"$(diff <(of_cache "$cache" < noted) <(of_cache "$cache" < held))"
done
# The collector maps and unmaps memory meanwhile. That is noted, but not held. So are the objects that
# kernels with sheaves prepare for a change of a maple tree, at most 32; also if they are off for debugging.
for cache in vm_area_struct maple_node; do
	got=$(of_cache "$cache" < held | sum)
	want=$(of_cache "$cache" < noted | sum)
	slack=$(counted_as own "$cache")
	[ "$cache" != maple_node ] || [ ! -e /sys/kernel/slab/maple_node/sheaf_capacity ] || slack=$((slack + 32))
	holds "$cache: $want are noted, $got held, but for $slack" \
		[ $((want - slack)) -le "$got" -a "$got" -le $((want + slack)) ]
done
holds 'maple_node: many more were allocated' [ "$(counted_as allocated maple_node)" -ge 500 ]
