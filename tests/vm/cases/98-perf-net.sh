# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# Allocations less frees are shown only where the kernel agrees: what is kept is there, while a cache whose
# objects are freed where no tracepoint is has no number, whatever its allocations.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly pairs=600 forks=200
export pairs forks

# in_use: "CACHE OBJECTS OBJECTS-OF-A-SLAB" of all caches.
in_use()
{
	awk 'NR > 2 { print $1, $2, $5 }' /proc/slabinfo
}

# nets FILE: "CACHE NET" of each cache in all tables; "-" where the last that has it says so.
nets()
{
	sed -e 's/.*"rows":\[//' -e 's/\],"sum".*//' -e 's/},{/}\n{/g' "$1" |
		sed -n -E 's/.*"cache":"([^" ]*)".*"net":(-?[0-9]+|null).*/\1 \2/p' |
		awk '{ if ($2 == "null") unknown[$1] = 1; else { unknown[$1] = 0; net[$1] += $2 } known[$1] = 1 }
			END { for (cache in known) print cache, unknown[cache] ? "-" : net[cache] }'
}

# contradicted: those of ./nets that grew by other than that from ./before to ./after, by more than what
# CPUs may hold ready and what else happened while the files were read.
contradicted()
{
	awk -v cpus="$(nproc)" 'FILENAME == "before" { before[$1] = $2; next }
		FILENAME == "after" { grown[$1] = $2 - before[$1]; slab[$1] = $3; next }
		$2 != "-" && ($1 in slab) {
			difference = $2 - grown[$1]
			if (difference < 0) difference = -difference
			if (difference > slab[$1] * 8 * cpus + 2048) print $1, "net", $2, "grew by", grown[$1]
		}' before after nets
}

collect_by perf
mkfifo gate
in_use > before
# shellcheck disable=SC2016 # for the shell inside
slabratetop "${collect[@]}" --json -r 100000 --columns=+net -s net 1 -- sh -c '
	workload keep-sockets "$pairs" > kept 0<> gate & i=0
	while [ "$i" -lt "$forks" ]; do sh -c : & wait $!; i=$((i + 1)); done
	until grep -q kept kept; do sleep 0.1; done' > tables 2> errors
in_use > after
echo > gate
wait
cp tables report
nets tables > nets
sort -n -r -k 2 nets | head -n 5
equals 'no net is other than what the kernel has more in use' '' "$(contradicted)"
kept=$(sed -n 's/^sock_inode_cache //p' nets)
# Others may close some meanwhile.
holds "what is kept is there: ${kept:-nothing} of $((2 * pairs))" [ "${kept:-0}" -ge $((2 * pairs - 50)) ]
equals 'what is kept ranks first, or what grew by more' '' \
	"$(awk -v kept="$kept" '$2 != "-" && $2 > kept + 2048 { print }' nets)"
# From 6.18 on each of these is freed by way of RCU, and never seen.
if [ "$(awk '$1 == "maple_node" { print $2 }' nets)" = - ]; then
	has_line 'frees that nobody saw: why' '"cache":"maple_node"[^}]*"net":null,"net_unknown":"(slabinfo_differs|no_free_seen)"' tables
	has_line 'frees that nobody saw: the sum leaves the cache out' '"net_caches_left_out":[1-9]' tables
fi
