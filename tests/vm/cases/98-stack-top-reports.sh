# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# User stacks of programs that are gone, that run from elsewhere, or that run often; recordings of hits and
# what is shown of them; and what is refused, each in one line.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"

readonly brks=300
known_kinds brk touch pages

# A program that has ended, whose file is gone or never was to be seen from here. Both stay for a moment: a
# program that nobody can open any more has no names.
mkdir gone
cat > elsewhere <<-'END'
	workload=$(command -v workload)
	cp "$workload" gone/known-gone
	gone/known-gone -k brk 30 0<> gate &
	unshare -m sh -c "mount -t tmpfs none gone && cp $workload gone/known-there && exec gone/known-there -k brk 20" 0<> gate &
	until [ "$(pgrep -c -P $$ -x work-done)" = 2 ]; do sleep .1; done
	rm gone/known-gone
	sleep 1
	echo xx > gate
	wait
END
mkfifo gate
profile "$(preset brk)" -I ask_for_heap -- sh elsewhere
is_complete 'gone'
equals 'gone: stacks of a deleted program and of one elsewhere' 50 "$(hits_at ask_for_heap report)"
equals 'gone: both have all names' "$(printf 'ask_for_heap move_heap plan_run main')" \
	"$(frames_at ask_for_heap report | head -n 4 | sed 's/+.*//' | paste -s -d ' ')"

# The same program over and over, at other addresses each time.
runs=200
[ ! -e "$module" ] || runs=40
profile --process=known-touch t:raw_syscalls:sys_enter -U --format=json -c './known-touch touch 50'
one=$(fact stacks_after_filters)
profile --process=known-touch t:raw_syscalls:sys_enter -U --format=json -- \
	sh -c "for i in \$(seq $runs); do ./known-touch touch 50; done"
many=$(fact stacks_after_filters)
holds "$runs runs have $many stacks, one has $one" [ "$many" -le $((2 * one)) ]

# Processes that ended are forgotten, so later ones have room, in the run and in its recording. An emulated
# guest has no time for so many that they would not all have room.
ended=9000
[ ! -e "$module" ] || ended=1000
cat > many <<-'END'
	i=0
	while [ $i -lt "$1" ]; do
		/bin/true
		i=$((i + 1))
	done
END
profile "$(preset brk)" -I ask_for_heap --max-memory=16 --record many.kmr -- \
	sh -c "sh many $ended; ./known-brk brk $brks"
equals "after $ended processes: the stack of the last one" "$brks" "$(hits_at ask_for_heap report)"
equals "after $ended processes: no mapping is lost" 0 "$(grep -c 'user stacks are incomplete' report)"
stack-top -i many.kmr -I ask_for_heap --max-memory=16 > report 2> errors
equals "after $ended processes: the same of a recording" "$brks" "$(hits_at ask_for_heap report)"

# A process goes on when its first thread has ended.
profile "$(preset brk)" -I ask_for_heap --max-memory=16 -- \
	sh -c "./known-brk -e brk $brks & sh many $((ended / 6)); wait"
equals 'the first thread ended before: the stack of another one' "$brks" "$(hits_at ask_for_heap report)"

# A recording gives the same report, and others.
profile "$(preset brk)" --process=known-brk --record brk.kmr -O report.live -- ./known-brk brk "$brks"
equals 'recording: exit status' 0 "$status"
stack-top -i brk.kmr --process=known-brk > report 2> errors
holds 'recording: the same report' diff report.live report
brk_calls=$(report_count report)
tool=stack-top collect=()
profile -i brk.kmr --process=known-brk --by=point
has_line 'by point' "^ *$brk_calls +100 +syscalls:sys_enter_brk\$" report
profile -i brk.kmr --process=known-brk --by=mapping
has_line 'by mapping' "^ *$brks +[0-9.]+ +workload\$" report
profile -i brk.kmr --by=user-callsite
has_line 'by call site in the program' "^ *$brks +[0-9.]+ +ask_for_heap \[" report
profile -i brk.kmr -e move_heap
equals '-e a user frame' 0 "$(hits_at ask_for_heap report)"
profile -i brk.kmr -I move_heap
equals '-I a user frame' "$brks" "$(report_count report)"
collect_by perf
profile --process=known-touch "$(preset faults)" -K -c './known-touch touch 50'
is_complete '-K'
equals '-K: no user frame' 0 "$(grep -c -E '^ [^ ]+\+0x[^ ]+ \[' report)"
holds '-K: kernel frames' grep -q -E '^ 0x[0-9a-f]+ : [a-z]' report
profile --process=known-pages "$(preset pages)" -U -c './known-pages pipe-page 50'
is_complete '-U'
equals '-U: no kernel frame' 0 "$(grep -c -E '^ 0x' report)"
holds '-U: user frames' [ "$(hits_at main report)" -ge 50 ]

# refused NAME STATUS REGEX ARG…: one line says it; where it is a matter of the command line, a second names --help.
refused()
{
	local name=$1 want=$2 line=$3
	shift 3
	profile "$@" -d 0.2
	equals "$name: exit status" "$want" "$status"
	has_line "$name: the remedy" "^stack-top: $line" errors
	equals "$name: one line" 1 "$(grep -v -c "^Try 'stack-top --help'" errors)"
}

refused 'no such tracepoint' 1 't:kmem:mm_page_aloc: .* nearest: kmem:mm_page_alloc,' t:kmem:mm_page_aloc
refused 'no such field' 1 ".*no value brkk; nearest: brk" t:syscalls:sys_enter_brk --weight=brkk
refused 'no formula' 2 '--where: column 7: expected' t:syscalls:sys_enter_brk --where='brk + *3'
refused 'no such function' 1 'u:.*: .*nearest: touch_page' "u:$(command -v workload):touch_pag"
refused 'no program' 1 'u:/etc/passwd:x: /etc/passwd: .*not an ELF' u:/etc/passwd:x
refused 'no such preset' 2 "no preset is called 'brkk'" brkk
refused 'no such software event' 1 'sw:page-fault: .*nearest: page-faults' sw:page-fault

# What guests show in more detail: each preset starts, or one line says what this kernel lacks.
[ -e "$module" ] || for name in $(preset_names | grep -v -x malloc); do
	profile "$(preset "$name")" -q -c true
	[ "$status" != 1 ] || holds "preset $name: one line says why not: $(cat errors)" [ "$(wc -l < errors)" = 1 ]
	holds "preset $name: status $status" [ "$status" -le 1 -o "$status" = 3 ]
done
