# shellcheck shell=bash
# shellcheck disable=SC2034 # the cases read what is set here
# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases about slab caches share: see lib.sh.

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
		[ "/sys/kernel/slab/$name" -ef "/sys/kernel/slab/$1" ] || continue
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

filp=$(named filp)
