# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# The figures of `perf kmem stat --caller`, for the same data: perf reads the fields of the tracepoints,
# we read the text of `perf script`.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Debian's perf of some releases is a script for the perf of a kernel that may not be there.
if ! perf --version > /dev/null 2>&1; then
	holds 'perf kmem: perf is not installed here' true
	exit
fi

# Inner events of large kmallocs: perf kmem counts them as allocations of their own.
readonly inner='^__k(v?malloc_node|malloc|malloc_node_track_caller)_noprof\+'

# theirs: a line "FUNCTION+OFFSET ALLOCATIONS REQUESTED ALLOCATED PING-PONG" for each call site.
theirs()
{
	awk -F '[|/]' '/\+[0-9a-f]+ +\|/ { gsub(/ /, ""); print $1, $6, $4, $2, $7 }' stat | grep -v -E "$inner" | sort
}

# ours: the same of the report.
ours()
{
	awk '/\+0x/ { gsub(/,/, ""); sub(/\+0x/, "+"); sub(/ s  /, "  "); print $NF, $7, $11, $12, $10 }' held | sort
}

# freed_again: objects that were freed although they were free already: their allocation was not seen.
# perf kmem counts these frees as frees on another CPU.
freed_again()
{
	awk 'match($0, /kmem:[a-z_]+: .* ptr=[^ ]+/) {
		event = $0
		sub(/.* ptr=/, "", event)
		sub(/ .*/, "", event)
		is_free = /kmem:(kfree|kmem_cache_free):/
		again += is_free && event in freed && freed[event]
		if (is_free && event in freed)
			freed[event] = 1
		if (!is_free)
			freed[event] = 0
	} END { print again + 0 }' text
}

perf kmem --slab record -o data -- sh -c 'workload open 500; workload pipe 300; workload unix-send 300 1000
	for n in 1 2 3 4 5; do /bin/true; done' > /dev/null 2>&1
perf script -i data > text 2> /dev/null
perf kmem -i data --slab --caller stat > stat 2>&1
kmalloc-top --held -q -s allocated --by=stack --max-memory=1024 -i text > held
equals 'perf kmem: exit status' 0 "$?"
theirs > theirs
ours > ours
holds "perf kmem: $(wc -l < ours) of $(wc -l < theirs) call sites" [ "$(wc -l < ours)" -ge 20 ]
# Caches whose frees are often not seen are left out.
join theirs ours > both
equals 'perf kmem: it has each call site' "$(wc -l < ours)" "$(wc -l < both)"
equals 'perf kmem: the same allocations, bytes requested and bytes allocated' '' \
	"$(awk '$2 != $6 || $3 != $7 || $4 != $8' both)"
again=$(freed_again)
holds "perf kmem: the same frees on other CPUs, but for $again objects freed again" awk -v again="$again" \
	'{ off += $5 - $9; wrong += $9 > $5 } END { exit !(!wrong && off <= again) }' both
