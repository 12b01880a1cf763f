# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# BPF programs on the tracepoints that perf events read: what they hold back is reported.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

attach=$(command -v bpf_return || echo /usr/lib/kmalloc-top/bpf_return)
readonly attach

# tracepoint_id GROUP/NAME
tracepoint_id()
{
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount sh -c 'mount --make-rprivate / && mount -t tracefs tracefs /mnt &&
		cat "/mnt/events/$1/id"' sh "$1"
}

attacher=
trap '[ -z "$attacher" ] || kill "$attacher"' EXIT

# attached NUMBER [TRACEPOINT]: a program that returns that is attached, for a minute at most.
attached()
{
	rm -f attached
	"$attach" "$1" "$(tracepoint_id "${2:-kmem/kmalloc}")" 60 > attached &
	attacher=$!
	wait_until 600 grep -q -s attached attached
}

detached()
{
	kill "$attacher"
	wait "$attacher" 2> /dev/null
	attacher=
}

collect_by perf
attached 0
profile -q -d 2
equals 'returns 0: exit status' 3 "$status"
has_line 'returns 0: the report says so' '^Lost: events unknown: BPF programs held back those of kmalloc \(BPF program [0-9]+\)$' report
has_line 'returns 0: the remedy' 'no events arrive from kmalloc \(BPF program [0-9]+\): end the program' errors
if [ -e /sys/kernel/tracing/events/kmem ]; then
	kmalloc-top --check --collector=perf > report
	has_line 'returns 0: --check says so' '^note  BPF: +no events arrive from kmalloc \(BPF program [0-9]+\)' report
fi
detached

attached 1
profile -q -d 1
has_line 'returns 1: the report says so' '^Beside BPF: kmalloc \(BPF program [0-9]+\): nested events may be missing$' report
has_line 'returns 1: nothing is known to be lost' '^Lost: none$|^Lost: [0-9]' report
detached

profile_started -q
attached 0
sleep 2
detached
profile_ended INT
equals 'attached during a run: exit status' 3 "$status"
has_line 'attached during a run: the report says so' 'BPF programs held back those of kmalloc' report

profile -q -d 1
# Frames may be in the kernel's BPF: whoever starts a sandbox has its filters compiled.
holds 'none is attached any more: no line is about it' sh -c '! grep -v "^ *0x" report | grep -i bpf - errors'

# Of hits, nobody knows whether one happened at all.
tool=stack-top
brk=syscalls:sys_enter_brk
held_back="$brk \(BPF program [0-9]+\), unless none happened"
attached 0 syscalls/sys_enter_brk
profile -q "t:$brk" -c 'workload brk 50'
equals 'stack-top, returns 0: exit status' 3 "$status"
has_line 'stack-top, returns 0: the report says so' "^Lost: events unknown: BPF programs held back those of $held_back$" report
has_line 'stack-top, returns 0: the remedy' "no events arrive from $held_back: end the program" errors
profile -q 't:syscalls:sys_enter_br*' 't:syscalls:sys_exit_brk' -c 'workload brk 50'
equals 'stack-top, returns 0, one of several: exit status' 3 "$status"
has_line 'stack-top, returns 0, one of several: which' "BPF programs held back those of $held_back$" report
profile --check "t:$brk"
has_line 'stack-top, returns 0: --check says so' "^note  Points: .*; events of $brk \(BPF program [0-9]+\) may not arrive: end" report
detached

attached 1 syscalls/sys_enter_brk
profile -q "t:$brk" --process=workload -c 'workload brk 50'
has_line 'stack-top, returns 1: the report says so' "^Beside BPF: $brk \(BPF program [0-9]+\): nested events may be missing$" report
is_complete 'stack-top, returns 1'
profile -q "t:$brk" --where='brk == 1' -c 'workload brk 50'
is_complete 'stack-top, returns 1, the filter leaves no event'
# The program's instructions show that it hides nothing.
profile -q "t:$brk" --where="brk == 1" -c true
is_complete 'stack-top, returns 1, no event at all'
detached

profile_started -q "t:$brk"
attached 0 syscalls/sys_enter_brk
workload brk 50
sleep 1
detached
workload brk 50
profile_ended INT
equals 'stack-top, attached during a run: exit status' 3 "$status"
has_line 'stack-top, attached during a run: the report says so' "BPF programs held back those of $held_back$" report

profile -q "t:$brk" -c 'workload brk 50'
is_complete 'stack-top, none is attached any more'
