# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# With BPF programs, known work is counted to the last allocation, at the stacks, tasks and caches that perf
# events report for the same work; what is counted and what is lost are together what counters of the same
# tracepoints counted; and nothing is left behind by a run that was killed.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# Where a guest has kmem_counter.
PATH=$PATH:/usr/lib/kmalloc-top

sends=1000 pipes=600 messages=700

# What is not there is refused in one line, before anything is done.
# refused NAME REGEX ARG…
refused()
{
	local name=$1 line=$2
	shift 2
	kmalloc-top -q --collector=bpf "$@" -- true > report 2> errors
	equals "refused: $name" 1 $?
	equals "refused: $name: no report" 0 "$(wc -c < report)"
	has_line "refused: $name: says so" "^kmalloc-top: $line.*: use --collector=perf$" errors
}

kmalloc-top --check --collector=bpf > check
lacks=$(sed -n -E 's/^FAIL  BPF: +//p' check)
case $lacks.$(uname -r) in
'this build '*) echo "# $lacks" ;;
.6.[1-9]*) equals 'this kernel is known' '' "$lacks" ;;
*) has_line 'this kernel is refused, with the reason' 'Linux|types' <(echo "$lacks") ;;
esac
if [ -n "$lacks" ]; then
	refused 'this host' "${lacks%%[:(]*}"
	exit
fi
refused '--held' '--collector=bpf does not have frees, so --held yet' --held
refused 'a sample' '--collector=bpf does not have sampling yet' --sample=100
refused 'pages' '--collector=bpf does not have other events than kmalloc and cache yet' --events=page

# stacks FILE: the stacks of a report, a line each, in any order of equal counts. No addresses: which
# instruction of the first function calls the tracer is the tracer's business.
stacks()
{
	awk -v RS= -v FS='\n' -v OFS=' < ' '/^This path seen/ {
		for (i = 2; i <= NF; i++) {
			sub(/^ 0x[0-9a-f]+ : /, "", $i)
			gsub(/\[[0-9]+\]/, "[N]", $i)
		}
		sub(/\+0x[0-9a-f]+\/0x[0-9a-f]+/, "", $2)
		print
	}' "$1" | sort
}

# same_by_perf NAME ARG…: perf events report what ./report has.
same_by_perf()
{
	local name="$1, by perf events"
	shift
	mv report report.bpf
	collect_by perf
	profile "$@"
	is_complete "$name"
	collect_by bpf
	equals "$name: as many allocations" "$(report_count report.bpf)" "$(report_count report)"
	for what in requested allocated; do
		equals "$name: as many bytes $what" "$(report_bytes report.bpf "$what")" \
			"$(report_bytes report "$what")"
	done
	holds "$name: the same stacks, processes and caches" diff <(stacks report.bpf) <(stacks report)
}

# exact NAME COUNT BYTES ARG…
exact()
{
	local name=$1 count=$2 bytes=$3
	shift 3
	profile "$@"
	is_complete "$name"
	counts "$name" "$count" "$bytes"
	same_by_perf "$name" "$@"
}

collect_by bpf

exact 'whole host' "$messages" $((message_allocated * messages)) "${only_messages[@]}" \
	-c "workload message $messages"
has_line 'the report names the collector' '^Run: .* s, BPF(,|$)' report.bpf
has_line 'the first frame is the allocator' '^ 0x[0-9a-f]+ : __kmalloc' \
	<(grep -A 1 '^This path seen ' report.bpf)
has_line 'the stack reaches the system call' " : $system_call_frame" report.bpf
exact 'the command, with threads and a child' $((4 * sends)) $((4 * sends * send_allocated)) \
	--only-command "${only_sends[@]}" -- workload -t 2 -f unix-send "$sends" "$SEND_BYTES"
exact 'executed by a thread' "$messages" $((message_allocated * messages)) --only-command "${only_messages[@]}" \
	-c "workload -x message $messages"
exact 'large kmallocs' "$messages" $((16384 * messages)) --only-command -I do_readv -e "$unrelated" \
	-- workload readv "$messages"
exact 'a new name' $((2 * messages)) $((message_allocated * 2 * messages)) --only-command --details \
	"${only_messages[@]}" -- workload -n renamed message "$messages"
profile --only-command --max-stack 3 "${only_messages[@]}" -c "workload message $messages"
is_complete 'three frames'
equals 'three frames: no more' $((3 * $(report_stacks report))) "$(grep -c '^ 0x' report)"
profile --only-command --stacks=none -I "$pipe_frame" -c "workload pipe $pipes"
is_complete 'call sites alone'
equals 'call sites alone: two allocations each' $((2 * pipes)) "$(report_count report)"

# Every pipe has two open files, an inode and a name, from caches of their own.
cached=(--events=cache --only-command --details -I create_pipe_files -e "$unrelated" -c "workload pipe $pipes")
profile "${cached[@]}"
is_complete 'caches'
holds 'caches: files, inodes, names' [ "$(report_count report)" -ge $((4 * pipes)) ]
same_by_perf 'caches' "${cached[@]}"
profile --by=cache --only-command --events=cache -I create_pipe_files -c "workload pipe $pipes"
has_line 'caches: two open files for each pipe' "^ *(1,200|1200) .*\bfilp\b" report

# beside NAME EVENTS COMMAND…: the counters within begin later and end sooner than the run, those around it
# the other way round.
host()
{
	sed -n 's/^host //p' "$1"
}
beside()
{
	local name=$1 events=$2 sum
	shift 2
	kmem_counter -c outer "$events" kmalloc-top --format=text --collector=bpf --max-overhead=0 --buffer=1 \
		--events="$events" -- kmem_counter inner "$events" "$@" > report 2> errors
	sum=$(sed -n -E 's/^Total [a-z]+ \(before filtering\): //p' report | tr -d ,)
	sum=$((sum + $(report_lost report)))
	echo "$name: $(host inner) to $(host outer) counted beside, $sum reported, $(tail -n 1 report)"
	holds "$name: at least what was counted within" test "$sum" -ge "$(host inner)"
	holds "$name: at most what was counted around" test "$sum" -le "$(host outer)"
}

many=100000
[ ! -d "$modules" ] || many=10000
beside 'kmallocs' kmalloc workload -t 2 pipe "$many"
beside 'caches' cache workload -t 2 pipe "$many"
# Nobody reads: the rings fill.
# shellcheck disable=SC2016 # for the shell inside
beside 'the reader stops' kmalloc sh -c '
	kill -STOP "$COLLECTOR"
	workload -t 2 pipe "$1"
	kill -CONT "$COLLECTOR"
	workload pipe 1000' - 100000
has_line 'the reader stops: events are lost' '^Lost: [1-9][0-9,]* events' report

# A program in the kernel has a symbol while it exists.
programs()
{
	grep -c -E ' bpf_prog_[0-9a-f]+_kmt_kmalloc\s' /proc/kallsyms
}
profile_started
holds "live after $(sed -n -E 's/.* ([0-9.]+) s: the probes are live$/\1/p' errors) s" \
	grep -q 'the probes are live' errors
equals 'killed: there was a program' 1 "$(programs)"
kill -9 "$program"
wait "$program" 2> /dev/null
has_no_program()
{
	[ "$(programs)" = 0 ]
}
holds 'killed: no program is left' wait_until 50 has_no_program
