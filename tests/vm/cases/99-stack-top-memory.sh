# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 5.10-stap5.6
# The presets about scarce memory, storage, compaction and huge pages count what is made to happen here, and
# as much as bpftrace at the same time.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"

readonly file_pages=200 scattered=20000 huge=8 woken=60000
known_kinds major file zones move small frag wake victim
for kind in read scan; do
	ln -s "$(command -v cat)" "known-$kind"
done
# Files of many megabytes, which are on the host, and read from there.
mapfile -t big_files < <(find /usr/libexec /usr/lib/gcc -type f -size +16M | head -n 2)

# in_cgroup BYTES: makes the cgroup $limited, whose processes together have no more memory.
in_cgroup()
{
	limited=/sys/fs/cgroup/known-$1
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	mkdir "$limited"
	echo "$1" > "$limited/memory.max"
}

# khugepaged looks only at what asks for it, but all the time.
huge_settings=/sys/kernel/mm/transparent_hugepage
echo madvise > "$huge_settings/enabled"
echo 0 > "$huge_settings/khugepaged/scan_sleep_millisecs"

counted_started '
	software:major-faults:1 / comm == "known-major" / { @major[comm] = count(); }
	software:page-faults:1 / comm == "known-file" / { @faults[comm] = count(); }
	tracepoint:compaction:mm_compaction_begin / comm == "known-zones" / { @zones[comm] = count(); }
	tracepoint:migrate:mm_migrate_pages / comm == "known-move" / { @moved[comm] = sum(args->succeeded); }
	tracepoint:huge_memory:mm_collapse_huge_page / args->status == 1 / { @collapsed[comm] = count(); }
	tracepoint:vmscan:mm_vmscan_wakeup_kswapd / comm == "known-wake" / { @woken[comm] = count(); }
	tracepoint:kmem:mm_page_alloc_extfrag / comm == "known-frag" / {
		@fragmented[comm] = sum(1 << args->alloc_order); }
	tracepoint:oom:mark_victim { @killed[args->pid] = count(); }
	tracepoint:vmscan:mm_vmscan_memcg_reclaim_begin / comm == "known-read" / { @stalls[comm] = count(); }
	tracepoint:vmscan:* / comm == "known-scan" / { @scans[comm] = count(); }'

known major "$(preset majfaults)" -- ./known-major file "$file_pages" < "${big_files[0]}"
major=$(report_count report)
equals 'majfaults: at the known stack' "$file_pages" "$(hits_at read_page report)"
has_stack 'majfaults' read_page read_file plan_run main
known file "$(preset ffaults)" -- ./known-file file "$file_pages" < "${big_files[0]}"
faults=$(report_count report)
has_line 'ffaults: of the known file' "^ *$file_pages +[0-9.]+ +${big_files[0]##*/}\$" report

# With gaps in its memory there is something to move.
known zones "$(preset compaction)" -- ./known-zones compact "$scattered"
zones=$(report_count report)
has_stack 'compaction' ask_for_compaction compact_memory plan_run main
known move "$(preset migrate)" -- ./known-move compact "$scattered"
moved=$(known_sum)

mkfifo gate
cat > collapse <<-'END'
	./known-small -k small-pages "$1" 0<> gate &
	huge_kb() { awk '$1 == "AnonHugePages:" { print $2 }' "/proc/$!/smaps_rollup"; }
	until [ "$(huge_kb)" = $(($1 * 2048)) ]; do sleep .1; done
	echo > gate
	wait
END
profile --process=khugepaged "$(preset hugepage)" -- sh collapse "$huge"
echo never > "$huge_settings/enabled"
is_complete 'collapse'
cp report report.collapse
has_line 'hugepage: made of small ones' "^ *[0-9]+ +[0-9.]+ +$huge +huge_memory:mm_collapse_huge_page\$" report

# Kernel memory that stays takes blocks from what programs use, once its own free ones are used up. An array has 64
# pages.
unmovable_pages=$(awk '$5 == "type" && $6 == "Unmovable" && NF > 10 {
	for (order = 0; order + 7 <= NF; order++) pages += $(order + 7) * 2 ^ order
	} END { print pages }' /proc/pagetypeinfo)
arrays=$((300 + unmovable_pages / 64))
known frag "$(preset extfrag)" -- ./known-frag keep-maps "$arrays"
fragmented=$(known_sum)

# The kernel is to keep most of what is free now. The other 100 MB are for stack-top itself, which would else wake
# kswapd; while kswapd runs, nothing wakes it again.
keep_kb=$(awk '$1 == "MemFree:" { print int(($2 - 100 * 1024) * 4 / 5) }' /proc/meminfo)
kept_kb=$(cat /proc/sys/vm/min_free_kbytes)
echo "$keep_kb" > /proc/sys/vm/min_free_kbytes
known wake "$(preset kswapd)" -- ./known-wake touch "$woken"
echo "$kept_kb" > /proc/sys/vm/min_free_kbytes
woken_by=$(report_count report)
# 5.10 has the place of a tracepoint twice.
equals 'kswapd: no frame comes twice' '' "$(grep '^ 0x' report | uniq -d)"

in_cgroup $((16 << 20))
# limited NAME PRESET COMMAND…: the command in the cgroup $limited.
limited()
{
	local name=$1 preset=$2
	shift 2
	# shellcheck disable=SC2016 # for the shell inside
	known "$name" "$(preset "$preset")" -- \
		sh -c 'echo $$ > "$1/cgroup.procs"; shift; exec "$@" > /dev/null' sh "$limited" "$@"
}

limited read reclaim ./known-read "${big_files[@]}"
stalls=$(report_count report)
limited scan vmscan ./known-scan "${big_files[@]}"
scans=$(report_count report)

# The one who is killed, and whose allocation that was.
# shellcheck disable=SC2016 # for the shell inside
profile "$(preset oomkill)" -- sh -c 'sh -c "echo \$\$ > \"\$1/cgroup.procs\"; echo \$\$ > victim
	exec ./known-victim touch 100000" sh "$1"; true' sh "$limited"
is_complete 'oomkill'
victim=$(cat victim)
has_line 'oomkill: the victim' "^ *[0-9.]+ +known-victim +$victim +([^ ]+ +)?$victim( |\$)" report
rmdir "$limited"

counted_ended
same_as_counted 'majfaults' major known-major "$major"
same_as_counted 'ffaults' faults known-file "$faults"
same_as_counted 'compaction' zones known-zones "$zones"
same_as_counted 'migrate' moved known-move "$moved"
same_as_counted 'hugepage' collapsed khugepaged "$huge"
same_as_counted 'extfrag' fragmented known-frag "$fragmented"
same_as_counted 'kswapd' woken known-wake "$woken_by"
same_as_counted 'reclaim' stalls known-read "$stalls"
same_as_counted 'vmscan' scans known-scan "$scans"
same_as_counted 'oomkill' killed "$victim" 1
for count in "$moved" "$fragmented" "$woken_by" "$stalls" "$scans"; do
	holds "$count: there was something to count" [ "$count" -gt 0 ]
done
