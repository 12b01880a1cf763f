# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
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

# beside NUMBER SECONDS ARG…: a run beside a program that returns that; leaves its $status.
beside()
{
	local number=$1 seconds=$2
	shift 2
	"$attach" "$number" "$(tracepoint_id kmalloc)" "$seconds" > attached &
	wait_until 50 grep -q attached attached
	kmalloc-top --collector=perf -q "$@" > report 2> errors
	status=$?
}

beside 0 8 -d 2
has_line 'returns 0: the report says so' '^Lost: events unknown: BPF programs held back those of kmalloc \(BPF program [0-9]+\)$' report
equals 'returns 0: exit status' 3 "$status"
if [ -e /sys/kernel/tracing/events/kmem ]; then
	kmalloc-top --check --collector=perf > report
	has_line 'returns 0: --check says so' '^note  BPF: +no events arrive of kmalloc \(BPF program [0-9]+\)' report
fi
wait

beside 1 4 -d 1
has_line 'returns 1: the report says so' '^Beside BPF: kmalloc \(BPF program [0-9]+\): nested events may be missing$' report
has_line 'returns 1: nothing is known to be lost' '^Lost: none$|^Lost: [0-9]' report
wait

(sleep 2; exec "$attach" 0 "$(tracepoint_id kmalloc)" 2 > attached) &
kmalloc-top --collector=perf -q -d 5 > report 2> errors
equals 'attached during a run: exit status' 3 $?
has_line 'attached during a run: the report says so' 'BPF programs held back those of kmalloc' report
wait
