# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# BPF programs on the tracepoints that perf events read: what they hold back is reported.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

attach=$(command -v bpf_return || echo /usr/lib/kmalloc-top/bpf_return)
readonly attach

# tracepoint_id NAME
tracepoint_id()
{
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount sh -c 'mount --make-rprivate / && mount -t tracefs tracefs /mnt &&
		cat "/mnt/events/kmem/$1/id"' sh "$1"
}

attacher=
trap '[ -z "$attacher" ] || kill "$attacher"' EXIT

# attached NUMBER: a program that returns that is attached, for a minute at most.
attached()
{
	rm -f attached
	"$attach" "$1" "$(tracepoint_id kmalloc)" 60 > attached &
	attacher=$!
	wait_until 100 grep -q -s attached attached
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
holds 'none is attached any more: no line is about it' sh -c '! grep -i bpf report errors'
