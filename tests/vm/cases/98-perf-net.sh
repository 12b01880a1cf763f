# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# Allocations less frees are shown only where the kernel agrees: what is kept is there, while a cache whose
# objects are freed where no tracepoint is has no number, whatever its allocations.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

nodes=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' 2> /dev/null | wc -l)
[ "$nodes" -gt 0 ] || nodes=1
readonly pairs=600 forks=200 nodes
export pairs forks

# nets_of FILE: "CACHE NET" of each cache in all tables; "-" where the last that has it says so.
nets_of()
{
	sed -e 's/.*"rows":\[//' -e 's/\],"sum".*//' -e 's/},{/}\n{/g' "$1" |
		sed -n -E 's/.*"cache":"([^" ]*)".*"net":(-?[0-9]+|null).*/\1 \2/p' |
		awk '{ if ($2 == "null") unknown[$1] = 1; else { unknown[$1] = 0; net[$1] += $2 } known[$1] = 1 }
			END { for (cache in known) print cache, unknown[cache] ? "-" : net[cache] }'
}

# list_sheaves: "CACHE OBJECTS": how many objects the sheaves of a cache hold at most, where it has any: three of each CPU,
# and ten of each node.
list_sheaves()
{
	local file
	for file in /sys/kernel/slab/*/sheaf_capacity; do
		[ ! -e "$file" ] || echo "$(basename "${file%/*}") $(($(< "$file") * (3 * $(nproc) + 10 * nodes)))"
	done
}

# list_differences: "CACHE NET GROWTH ALLOWED" of those of ./nets that have a number, by the kernel's lists at the beginning
# and at the end of the command. The kernel counts what a CPU holds ready as in use: its own slab, half-used ones, and
# sheaves. Who lists the descriptors of all processes in /proc makes an inode of each. In some sandboxes the first process
# does so, and none of its allocations reaches a tracepoint.
list_differences()
{
	awk -v cpus="$(nproc)" -v descriptors=$((descriptors + 2 * pairs)) '
		BEGIN { listed["dentry"] = listed["proc_inode_cache"] = listed["lsm_inode_cache"] = descriptors }
		FILENAME == "sheaves" { held[$1] = $2; next }
		FILENAME == "before" { before[$1] = $2; next }
		FILENAME == "after" { grown[$1] = $2 - before[$1]; slab[$1] = $5; next }
		$2 != "-" && ($1 in slab) { print $1, $2, grown[$1], slab[$1] * 8 * cpus + held[$1] + listed[$1] }
		' sheaves before after nets
}

# list_contradicted: those of ./differences whose net is other than what the kernel has more in use.
list_contradicted()
{
	awk '{ off = $2 - $3 }
		off > $4 || -off > $4 { print $1, (off > 0 ? "too large:" : "too small:"), $2, "grew by", $3 }' differences
}

# measure: what happens before the probes are live, and while the program starts and ends, is in no table, or in
# none that the kernel's lists are about. So the first and the last thing that the command does is to read these.
measure()
{
	# shellcheck disable=SC2016 # for the shell inside
	slabratetop "${collect[@]}" --json -r 100000 --columns=+net -s net 1 -- bash -c '
		mapfile -t before < /proc/slabinfo
		workload keep-sockets "$pairs" > kept 0<> gate &
		for ((i = 0; i < forks; i++)); do sh -c : & wait $!; done
		until grep -q kept kept; do sleep 0.1; done
		printf "%s\n" "${before[@]}" > before
		mapfile -t after < /proc/slabinfo
		printf "%s\n" "${after[@]}" > after' > tables 2> errors
	echo > gate
	wait
	cp tables report
	nets_of tables > nets
	list_differences > differences
	list_contradicted > contradicted
	kept=$(sed -n 's/^sock_inode_cache //p' nets)
}

# is_as_expected: others may close some sockets meanwhile.
is_as_expected()
{
	[ "${kept:-0}" -ge $((2 * pairs - 50)) ] && [ ! -s wrong ]
}

collect_by perf
mkfifo gate
list_sheaves > sheaves
descriptors=$(find /proc/[0-9]*/fd -maxdepth 1 -type l 2> /dev/null | wc -l)
# Beside a build, thousands of buffer heads come and go in the moments between a list and the first or last event: net was
# up to 2,000 too large and 1,500 too small. A figure that is wrong is so each time, in the same direction.
measure
cp contradicted wrong
for try in 2 3; do
	is_as_expected && break
	sed "s/^/try $((try - 1)): /" contradicted
	measure
	awk 'FILENAME == "contradicted" { again[$1 $3] = 1; next } $1 $3 in again' contradicted wrong > still
	mv still wrong
done
sort -n -r -k 2 nets | head -n 5
equals 'no net is other than what the kernel has more in use' '' "$(< wrong)"
holds "what is kept is there: ${kept:-nothing} of $((2 * pairs))" [ "${kept:-0}" -ge $((2 * pairs - 50)) ]
equals 'what is kept ranks first, or what grew by more' '' \
	"$(awk -v kept="$kept" '$2 > kept && $3 < kept - $4 { print }' differences)"
# From 6.18 on each of these is freed by way of RCU, and never seen.
if [ "$(awk '$1 == "maple_node" { print $2 }' nets)" = - ]; then
	has_line 'frees that nobody saw: why' '"cache":"maple_node"[^}]*"net":null,"net_unknown":"(slabinfo_differs|no_free_seen)"' tables
	has_line 'frees that nobody saw: the sum leaves the cache out' '"net_caches_left_out":[1-9]' tables
fi
