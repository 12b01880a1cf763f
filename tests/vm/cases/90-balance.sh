# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# long
# Where all memory is: known memory of each kind stands in its own part of the balance, and in no other,
# and the parts add up to all memory. In a guest nobody else uses memory. On the machine that builds, others
# do: beside two builds, parts changed by up to 120 MiB. There each kind is tried up to three times, and parts
# that others use may be off by 200 MiB.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

export PATH=$PATH:/usr/lib/kmalloc-top
readonly mib=$((1 << 20))
others=0
[ -d "$modules" ] || others=$((200 * mib))
readonly others

# rows NAME: of an array of ./report, which is JSON without blanks, a line each.
rows()
{
	tr -d ' \n' < report | sed -E "s/.*\"$1\":\[([^]]*)\].*/\1/; s/\},?/}\n/g"
}

# field NAME: of each line.
field()
{
	sed -n -E "s/.*\"$1\":\"?([^\",}]*)\"?[,}].*/\1/p"
}

# parts_changed: "PART BYTES" of each part of ./report.
parts_changed()
{
	rows balance | sed -n -E \
		's/.*"part":"([^"]*)".*"bytes_start":([0-9]+).*"bytes":([0-9]+).*/\1 \2 \3/p' |
		awk '{ print $1, $3 - $2 }'
}

# balance_of KIND COUNT [CGROUP]: takes a balance before and after that memory was used; leaves ./report and
# what changed, in ./changed.
balance_of()
{
	local worker program
	status='not started'
	rm -f gate kept
	mkfifo gate
	# What was used before is freed by then.
	sleep 1
	memory_use "$@" > kept 0<> gate &
	worker=$!
	wait_until 300 grep -q -s -x memory_use "/proc/$worker/comm" || return
	env --default-signal=INT slabstack --format=json -d 600 > report 2> errors &
	program=$!
	# Its first reading is over when it waits. Some kernels, such as 5.10, do not say where a process does.
	wait_until 20 grep -q -s sigtimedwait "/proc/$program/wchan" || sleep 2
	echo > gate
	wait_until 1200 grep -q kept kept
	sleep 1
	kill -INT "$program"
	wait "$program"
	status=$?
	echo > gate
	wait "$worker"
	rm -rf memory_use.data memory_use.names
	[ "$1" != huge ] || echo 0 > /proc/sys/vm/nr_hugepages
	parts_changed > changed
}

# slack PART BYTES: how far off that part may be.
slack()
{
	case $1 in
	vmalloc | per_cpu | huge_pages) echo $(($2 * 3 / 100)) ;;
	*) echo $(($2 * 3 / 100 + others)) ;;
	esac
}

# other_parts PART BYTES ALSO: those that changed by more than that, though they should not.
other_parts()
{
	local part change separator=''
	while read -r part change; do
		case $part in "$1" | "$3" | free) continue ;; esac
		[ "${change#-}" -gt "$(slack "$part" "$2")" ] || continue
		printf '%s%s %d MiB' "$separator" "$part" $((change / mib))
		separator=', '
	done < changed
}

# grew PART BYTES: that part did.
grew()
{
	local change off
	change=$(sed -n "s/^$1 //p" changed)
	[ -n "$change" ] || return
	off=$((change - $2))
	[ "${off#-}" -lt "$(slack "$1" "$2")" ]
}

# appears KIND MIB PART [PERCENT [ALSO]]: MIB of that kind are in that part and nowhere else; the kernel takes
# so many percent more for them, and more in the part ALSO.
appears()
{
	local bytes=$(($2 * mib * (100 + ${4:-0}) / 100)) also=${5:-}
	for _ in 1 2 3; do
		balance_of "$1" "$2"
		! grew "$3" "$bytes" || [ -n "$(other_parts "$3" "$bytes" "$also")" ] || break
	done
	equals "$1: exit status" 0 "$status"
	holds "$1: in its part ($(($(sed -n "s/^$3 //p" changed) / mib)) of $2 MiB)" \
		grew "$3" "$bytes"
	equals "$1: in no other part" '' "$(other_parts "$3" "$bytes" "$also")"
}

slabstack --format=json > report 2> errors
equals 'the parts: exit status' 0 "$?"
equals 'the parts add up to all memory' \
	"$(tr -d ' \n' < report | sed -n -E 's/.*"memory_total_bytes":([0-9]+).*/\1/p')" \
	"$(rows balance | field bytes | awk '{ sum += $1 } END { printf "%.0f\n", sum }')"
equals 'the parts: none is counted twice' '' "$(rows balance | grep counted_twice)"

# The files of a guest are in tmpfs, which is shared memory.
if [ -d "$modules" ]; then
	mkdir files
	mount -t ramfs ramfs files
	cd files || exit
fi
appears anonymous 400 anonymous
appears page-cache 400 page_cache
appears shared 400 shared
appears pipes 250 in_no_counter
appears vmalloc 200 vmalloc
# There is a table of the cgroups of per-CPU objects, which may be as large as they are.
appears per-cpu 200 per_cpu 0 vmalloc
appears page-tables 200 page_tables
appears huge 200 huge_pages
# Each packet has a head.
appears sockets 200 in_no_counter 0 slab_unreclaimable
appears small-messages 200 slab_unreclaimable 24

# Objects by which a cache of ./report grew, from its change a second.
cache_growth()
{
	local seconds
	seconds=$(tr -d ' \n' < report | sed -n -E 's/.*"duration_seconds":([0-9.]+),"memory_start".*/\1/p')
	tr -d ' \n' < report | tr '{' '\n' | grep "\"cache\":\"$1\"" | sed -n -E \
		's/.*"change_bytes_per_second":(-?[0-9]+).*"object_bytes":([0-9]+).*/\1 \2/p' |
		awk -v seconds="$seconds" '{ printf "%d\n", $1 * seconds / $2 + 0.5 }'
}

# Elsewhere, others open and close files, too.
balance_of dentries 20000
growth=$(cache_growth dentry)
if [ -d "$modules" ]; then
	holds "dentries: their cache grew ($growth of 20000)" [ "$growth" -gt 19400 ]
	holds "dentries: by no more ($growth)" [ "$growth" -lt 20600 ]
else
	holds "dentries: their cache grew ($growth of 20000)" [ "$growth" -gt 10000 ]
fi

# Cgroups of v2, or of v1 on a machine that has them.
cgroups=/sys/fs/cgroup
if grep -q -s memory "$cgroups/cgroup.controllers"; then
	echo +memory > "$cgroups/cgroup.subtree_control"
else
	cgroups=/sys/fs/cgroup/memory
fi
readonly cgroups growing=balance-growing dying=balance-dying

# member NAME: a number of ./report.
member()
{
	tr -d ' \n' < report | sed -n -E "s/.*\"$1\":(-?[0-9]+|null|\"[^\"]*\").*/\1/p"
}

# What is in the pipes of a process is its cgroup's, with what the kernel needs for them. Before Linux 5.18 v2 shows
# no pages but those of known kinds, such as packets, which are larger than their data.
grown=(pipes 103)
[ ! -e "$cgroups/cgroup.controllers" ] || grep -q '^kernel ' "$cgroups/memory.stat" || grown=(sockets 200)
mkdir "$cgroups/$growing"
balance_of "${grown[0]}" 100 "$cgroups/$growing"
growth=$(rows cgroups | grep "\"cgroup\":\"/$growing\"" | field own_change_bytes)
holds "a cgroup that grows: by what it took ($((${growth:-0} / mib)) of 100 MiB)" \
	[ "${growth:-0}" -gt $((97 * mib)) ]
holds 'a cgroup that grows: by no more' [ "${growth:-0}" -lt $((grown[1] * mib)) ]
if [ -d "$modules" ]; then
	equals 'a cgroup that grows: no other one is named' "/$growing" \
		"$(rows cgroups | awk -F'"own_change_bytes":' '$2 + 0 > 1048576' | field cgroup)"
fi
rmdir "$cgroups/$growing"

# Removed cgroups stay as long as their memory.
mkdir "$cgroups/$dying"
[ ! -e "$cgroups/cgroup.subtree_control" ] || echo +memory > "$cgroups/$dying/cgroup.subtree_control"
balance_of dying 100 "$cgroups/$dying"
growth=$(($(member cgroups_dying) - $(member cgroups_dying_start)))
holds "dying cgroups: they are counted ($growth of 100)" [ "$growth" -gt 90 ]
if [ -d "$modules" ]; then
	holds "dying cgroups: no others are ($growth of 100)" [ "$growth" -lt 110 ]
	equals 'dying cgroups: where they were' "\"/$dying\"" "$(member cgroups_dying_below)"
fi
rmdir "$cgroups/$dying"
