# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# boot: slab_debug=U,filp,sock_inode_cache,lsm_file_cache,vm_area_struct,maple_node
# What the kernel itself recorded as held, without tracing: read where it is, from copies, and as the
# growth between two readings.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly slab=/sys/kernel/debug/slab
readonly sockets=(--include=__sys_socketpair --by=cache)

# records ARG…: runs the program; leaves ./report, ./errors and $status.
records()
{
	kmalloc-top -q "$@" > report 2> errors
	status=$?
}

# number NAME: of the JSON in ./report.
number()
{
	grep -o -E "\"$1\":[0-9]+" report | head -n 1 | cut -d : -f 2
}

equals 'slab_debug=U is in force' 1 "$(cat /sys/kernel/slab/filp/store_user)"
cp -r "$slab" before
mkfifo go
exec {go}<> go
workload keep-sockets 500 < go > said &
keeper=$!
wait_until 300 grep -q kept said
cp -r "$slab" after

records --import=alloc_traces "${sockets[@]}"
equals 'the running kernel: exit status' 0 "$status"
has_line 'the running kernel: what is kept' '^ *1,000 .* filp$' report
records --import=alloc_traces after --format=json
equals 'a copy: the sum of all caches' \
	"$(cat after/*/alloc_traces | awk '/ age=/ { n += $1 } END { print n }')" \
	"$(number allocations_before_filters)"
equals 'a copy: nothing is unreadable' 0 "$(grep -c 'could not be read' errors)"
records --import=alloc_traces before after "${sockets[@]}"
equals 'the growth: exit status' 0 "$status"
has_line 'the growth: what was added' '^ *1,000 .* filp$' report
has_line 'the growth: ... of each cache' '^ *1,000 .* sock_inode_cache$' report
records --import=alloc_traces after before "${sockets[@]}"
has_line 'what is gone has no place' '^Total added objects .after.*: 0' report
holds 'what is gone is summed up' \
	[ "$(sed -n -E 's/^Shrunk.* by ([0-9,]+) object.*/\1/p' report | tr -d ,)" -ge 3000 ]
slabstack -q --import=alloc_traces filp > report 2> errors
has_line 'slabstack: what a cache holds' '^Held objects: [1-9]' report

records --import=allocinfo
equals 'no allocinfo: exit status' 1 "$status"
has_line 'no allocinfo: the remedy' CONFIG_MEM_ALLOC_PROFILING errors
records --import=page_owner
equals 'no page_owner: exit status' 1 "$status"
has_line 'no page_owner: the remedy' page_owner=on errors
echo >&"$go"
wait "$keeper"
