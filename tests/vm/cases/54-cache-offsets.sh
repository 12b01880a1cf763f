# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# The module as the program starts it: what it is given of the kernel's structures and of caches that are
# wanted. Offsets that lie cost the names and nothing else.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=caches.sh source-path=SCRIPTDIR
. /tmp/cases/caches.sh

# module_run NAME PARAMETER…: the module as the program starts it, its output in ./NAME.kms.
module_run()
{
	local name=$1
	shift
	staprun "$modules/kmt_all.ko" kmt_events=3 "$@" > "$name.kms" 2> errors &
	program=$!
	wait_until 300 [ -s "$name.kms" ]
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

module_run searched kmt_layout=-1,-1,-1,-1
equals 'without offsets the caches are found' "$times" "$(count alloc cache "$filp" searched.kms)"
equals 'without offsets: their sizes, too' \
	"$(cat "/sys/kernel/slab/$filp/object_size") $(cat "/sys/kernel/slab/$filp/slab_size")" \
	"$(sizes searched.kms)"

module_run filtered kmt_layout=-1,-1,-1,-1 "kmt_caches=\"no such cache	$filp\""
equals 'a filter: its objects are counted' "$times" "$(count alloc cache "$filp" filtered.kms)"
equals 'a filter: nothing else is' "$filp" \
	"$("$counts" filtered.kms | awk -F '\t' '$1 == "alloc" { sub(/\([0-9]+:.*/, "", $4); print $4 }' | sort -u)"
has_line 'a filter: it is shown' "^filter.*$filp" <("$counts" filtered.kms)

# Nobody has a new process meanwhile; but to read the stream something is allocated.
kmalloc-top --module "$modules/kmt_all.ko" "$every_event" --details -d 2 > report 2> errors
has_line 'own processes are left out' '; own processes left out: [1-9]' report
slabstack --module "$modules/kmt_all.ko" "$every_event" --details task_struct -d 2 > report 2> errors
has_line 'a filter: of what it lets through' '; own processes left out: 0 allocations$' report

# lies NAME PARAMETER…: only the reason is reported, and nothing is missing.
lies()
{
	local name=$1
	shift
	module_run "$name" kmt_caches=no_such_cache "$@"
	has_line "$name: the reason is shown" '^unknown.*refused' <("$counts" "$name.kms")
	equals "$name: no cache is named" "-" \
		"$("$counts" "$name.kms" | awk -F '\t' '$1 == "alloc" { print $4 }' | sort -u)"
	equals "$name: nothing is filtered" 0 "$("$counts" "$name.kms" | grep -c '^filter')"
	holds "$name: all is counted" [ "$(count alloc cache - "$name.kms")" -ge "$times" ]
}

module_run without
has_line 'without the parameter: the reason is shown' '^unknown.*without its parameter kmt_layout' \
	<("$counts" without.kms)

dmesg > before
lies zero kmt_layout=0,0,0,0
lies unmapped kmt_layout=2147483640,-1,-1,-1
lies impossible kmt_layout=-1,2147483640,-1,-4096
lies unaligned kmt_layout=-1,89,-1,-1
lies another_member kmt_layout=32,-1,-1,-1
lies other_sizes kmt_layout=-1,-1,0,4
dmesg > after
equals 'offsets that lie: the kernel complains of nothing' '' \
	"$(diff before after | grep -E '^>.*(BUG|Oops|WARNING|Call Trace|general protection|page fault)')"
