# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# With perf events, known work is counted to the last allocation, at the right stack; and where there is
# a module, the same work by SystemTap is the same counts, bytes and stacks.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# Where a guest has kmem_counter.
PATH=$PATH:/usr/lib/kmalloc-top

sends=1000 pipes=600 messages=700 pages=300

# stacks FILE: the stacks of a report, a line each, in any order of equal counts. No addresses: which
# instruction of the first function calls the tracer is the tracer's business.
stacks()
{
	awk -v RS= -v FS='\n' -v OFS=' < ' '/^This path seen/ {
		for (i = 2; i <= NF; i++)
			sub(/^ 0x[0-9a-f]+ : /, "", $i)
		sub(/\+0x[0-9a-f]+\/0x[0-9a-f]+/, "", $2)
		print
	}' "$1" | sort
}

# same_by_module NAME MODULE ARG…: SystemTap's collector, where there is one, reports what ./report has.
same_by_module()
{
	local name="$1, by SystemTap" collector=$2
	shift 2
	[ -e "$module" ] || return 0
	mv report report.perf
	collect_by "$collector"
	profile "$@"
	is_complete "$name"
	collect_by perf
	equals "$name: as many allocations" "$(report_count report.perf)" "$(report_count report)"
	for what in requested allocated; do
		equals "$name: as many bytes $what" "$(report_bytes report.perf "$what")" \
			"$(report_bytes report "$what")"
	done
	equals "$name: the same stacks" "$(stacks report.perf)" "$(stacks report)"
}

# exact NAME COUNT BYTES ARG…
exact()
{
	local name=$1 count=$2 bytes=$3
	shift 3
	profile "$@"
	is_complete "$name"
	counts "$name" "$count" "$bytes"
	same_by_module "$name" kmt_vm "$@"
}

collect_by perf

# Other processes may send or make pipes meanwhile, but not these.
exact 'whole host' "$messages" $((message_allocated * messages)) "${only_messages[@]}" \
	-c "workload message $messages"
profile "${only_messages[@]}" -c "workload message $messages"
equals 'whole host: one stack' 1 "$(report_stacks report)"
has_line 'the first frame is the allocator' '^ 0x[0-9a-f]+ : __kmalloc' \
	<(grep -A 1 '^This path seen ' report)
has_line 'the stack reaches the system call' " : $system_call_frame" report
has_line 'stacks can be compared' \
	"^This path seen $messages times: < __kmalloc[a-z_]* \[kernel\] < [a-z_]+\+0x.* < " <(stacks report)
has_line 'the report names the collector' '^Run: .* s, perf events(,|$)' report
equals 'the whole host is the default, so nothing is said' '' "$(grep '^Scope: ' report)"

exact 'the command, with threads and a child' $((4 * sends)) $((4 * sends * send_allocated)) \
	--only-command "${only_sends[@]}" -- workload -t 2 -f unix-send "$sends" "$SEND_BYTES"
exact 'executed by a thread' "$messages" $((message_allocated * messages)) --only-command "${only_messages[@]}" \
	-c "workload -x message $messages"

# Kernels from 6.11 on trace an allocation above two pages twice.
exact 'large kmallocs' "$messages" $((16384 * messages)) --only-command -I do_readv -e "$unrelated" \
	-- workload readv "$messages"
exact 'large kvmallocs' "$messages" $((16384 * messages)) --only-command -I setgroups \
	-e "$unrelated,prepare_creds" -- workload setgroups "$messages"
profile --only-command --sample 3 -I do_readv -e "$unrelated" -- workload readv $((10 * messages))
holds "large kmallocs, sampled: $(report_count report) is about $((10 * messages))" \
	test "$(report_count report)" -gt $((9 * messages)) -a "$(report_count report)" -lt $((11 * messages))

profile --only-command "${only_pipes[@]}" -- workload -t 3 -f pipe "$pipes"
is_complete 'pipes of the command'
equals 'pipes of the command: two allocations each' $((2 * 6 * pipes)) "$(report_count report)"
equals 'pipes of the command: two stacks' 2 "$(report_stacks report)"
same_by_module 'pipes of the command' kmt_vm --only-command "${only_pipes[@]}" -- \
	workload -t 3 -f pipe "$pipes"

profile --only-command --stacks=none -I "$pipe_frame" -c "workload pipe $pipes"
is_complete 'call sites alone'
equals 'call sites alone: two allocations each' $((2 * pipes)) "$(report_count report)"
equals 'call sites alone: one frame each' "$(report_stacks report)" "$(grep -c '^ 0x' report)"

profile --only-command --max-stack 3 "${only_messages[@]}" -c "workload message $messages"
is_complete 'three frames'
equals 'three frames: no more' $((3 * $(report_stacks report))) "$(grep -c '^ 0x' report)"
has_line 'three frames: says that callers may be missing' '^Cut at 3 frames: [1-9]' report

# Kernels before 6.13 begin with two samples of the first event, which stand for nothing.
kmem_counter -c around kmalloc kmalloc-top "${collect[@]}" --sample 1000000 -c "workload message $messages" \
	> report 2> errors
status=$?
is_complete 'one of a million'
# A sample stands for the events since the one before: none for more than there were.
holds 'one of a million: no more than there were' \
	test "$(sed -n 's/^Total kmallocs (before filtering): //p' report)" -le "$(sed -n 's/^host //p' around)"

# Every pipe has two open files, an inode and a name, from caches of their own.
cached=(--events=cache --only-command -I create_pipe_files -e "$unrelated" -c "workload pipe $pipes")
profile "${cached[@]}"
is_complete 'caches'
holds 'caches: files, inodes, names' [ "$(report_count report)" -ge $((4 * pipes)) ]
equals 'caches: as many for each pipe' 0 $(($(report_count report) % pipes))
same_by_module 'caches' kmt_all "${cached[@]}"

# One address may have a name for each kind of program. Elsewhere, vfork() is a call of clone().
if [ "$(uname -m)" = x86_64 ]; then
	profile --events=cache --only-command -I vfork -- workload vfork 20
	holds "vfork: $(report_count report) allocations" [ "$(report_count report)" -ge 20 ]
	equals 'vfork: by its native name' 0 "$(grep -c ' : __ia32_sys_' report)"
fi

# Of frees that follow in one go on a sleeping CPU the kernel counts some that it does not deliver; they
# are reported as lost.
profile --events=cache,free --only-command -c "workload pipe $pipes"
has_line 'frees are recorded' '^Frees: [1-9]' report
has_line 'frees: what was lost is reported' '^Lost: (none|[0-9,]+ events? )' report

# of_processes MODULE|perf: two processes, of which the second forks, beside a third.
of_processes()
{
	local first second third name="processes by $1"
	rm -f go
	workload -a go -t 2 pipe-page "$pages" > /dev/null &
	first=$!
	workload -a go -f pipe-page "$pages" > /dev/null &
	second=$!
	workload -a go pipe-page "$pages" > /dev/null &
	third=$!
	collect_by "$1"
	profile_started --events=kmalloc,page -I pipe_write -e "$unrelated" -p "$first,$second"
	touch go
	wait "$first" "$second" "$third"
	profile_ended INT
	is_complete "$name"
	counts "$name: a page each, of the threads but no child" $((3 * pages)) $((3 * pages * 4096))
	has_line "$name: the scope names them" "^Scope: every thread of the processes.*$first" report
	stacks report > "stacks.$1"
	collect_by perf
}

of_processes perf
if [ -e "$module" ]; then
	of_processes kmt_all
	holds 'processes: the same stacks' diff stacks.perf stacks.kmt_all
fi

# By the names that it had at the time.
profile --only-command --details "${only_messages[@]}" -- workload -n renamed message "$messages"
is_complete 'a new name'
counts 'a new name' $((2 * messages)) $((message_allocated * 2 * messages))
has_line 'a new name: half by each' \
	'^processes: (workload\[([0-9]+)\] 50 %, renamed|renamed\[([0-9]+)\] 50 %, workload)\[[0-9]+\] 50 %$' \
	report
ln -s "$(command -v workload)" another
# shellcheck disable=SC2016 # for the shell inside
profile --only-command --details "${only_pipes[@]}" -- \
	bash -c 'for i in 1 2 3; do : | :; done; exec ./another pipe 297'
is_complete 'executed as another'
equals 'executed as another: all pipes' 600 "$(report_count report)"
has_line 'executed as another: both names' '^processes: another\[[0-9]+\] 99 %, bash\[[0-9]+\] 1 %$' report

# recorded NAME ARGUMENTS COMMAND…: as 40-record.sh does.
recorded()
{
	local name=$1 arguments=$2
	shift 2
	# shellcheck disable=SC2086 # words
	profile --record "$name.kmr" $arguments --only-command -O "$name.report" -- "$@"
	equals "$name: exit status" 0 "$status"
	equals "$name: nothing lost" 'Lost: none' "$(tail -n 1 "$name.report")"
	# shellcheck disable=SC2086 # words
	holds "$name: -i gives the same report" \
		sh -c "kmalloc-top -i $name.kmr $arguments | cmp $name.report -"
	echo "$arguments" > "$name.arguments"
	[ ! -d "$recordings" ] || cp "$name".* "$recordings/"
}

recorded perf-sends "${only_sends[*]}" workload -t 2 -f unix-send 2000 "$SEND_BYTES"
recorded perf-mixed '--details --sort=bytes -t 20' sh -c \
	'find /usr/share/doc -type f | head -n 200 | tar -c -T - | wc -c; workload tcp-connect 50; workload pipe 200'

# Two at once, of which one has the name; live, and from the recording of both.
# shellcheck disable=SC2016 # for the shell inside
two_at_once=(-- sh -c './another message "$1" & workload message "$2"; wait' - "$messages" "$sends")
exact 'by name' "$messages" $((message_allocated * messages)) "${only_messages[@]}" --process 'nobody,anoth*' \
	"${two_at_once[@]}"
has_line 'by name: the other one is left out' "^Left out: [1-9][0-9,]* allocations? not of --process 'nobody,anoth\*'" report
profile --record both.kmr "${only_messages[@]}" --by=pid "${two_at_once[@]}"
kmalloc-top -i both.kmr "${only_messages[@]}" --process another > report
counts 'by name, from a recording' "$messages" $((message_allocated * messages))
kmalloc-top -i both.kmr --by=pid > report
# The leak check of a sanitized build is a process of that name, too.
named=$(sed -n -E 's/.* another\[([0-9]+)\]$/\1/p' report | head -n 1)
kmalloc-top -i both.kmr "${only_messages[@]}" -p "$named" > report
counts 'by pid, from a recording' "$messages" $((message_allocated * messages))
