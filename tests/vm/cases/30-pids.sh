# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# -p: every present and future thread of the named processes, not their children.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

workload -a go -t 2 -f unix-send 700 "$SEND_BYTES" > /dev/null &
first=$!
workload -a go unix-send 300 "$SEND_BYTES" > /dev/null &
second=$!
workload -a go unix-send 5000 "$SEND_BYTES" > /dev/null &
third=$!
profile_started "${only_sends[@]}" -p "$first,$second"
touch go
wait "$first" "$second" "$third"
profile_ended INT
is_complete 'two processes'
counts 'two processes: their threads, not a child, nobody else' $((2 * 700 + 300)) \
	$(((2 * 700 + 300) * send_allocated))
has_line 'the scope names them' "^Scope: every thread of the processes.*$first" report
