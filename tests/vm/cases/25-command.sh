# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# What -c and its kin do with the command.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

# Others make the same allocations at the same time.
sh -c 'while :; do workload unix-send 100 1000; done' > /dev/null &
others=$!
profile --only-command "${only_sends[@]}" -c "workload unix-send 1000 $SEND_BYTES"
kill "$others"
wait "$others"
is_complete 'only the command'
counts 'only the command' 1000 $((1000 * send_allocated))

profile --only-command "${only_pipes[@]}" -c 'workload -x pipe 300'
is_complete 'executed by a thread'
equals 'executed by a thread: allocations' 600 "$(report_count report)"

# shellcheck disable=SC2016 # for the shell inside
profile -O report.file -u nobody -- sh -c 'id -un; echo "$HOME"'
equals '-u: runs as that user' "$(printf 'nobody\n%s' "$(getent passwd nobody | cut -d : -f 6)")" \
	"$(cat report)"
equals '-u: exit status' 0 "$status"
equals '-O: nothing lost' 'Lost: none' "$(tail -n 1 report.file)"
equals '-O: readable by root alone' 600 "$(stat -c %a report.file)"

profile -q -- sh -c 'exit 7'
is_complete 'a command that fails'
has_line 'its exit status is in the report' 'exit status 7' report
has_line 'its exit status is shown' '7' errors

# shellcheck disable=SC2016 # for the shell inside
profile -- sh -c 'kill -9 $$'
is_complete 'a command that is killed'
has_line 'its signal is in the report' 'signal 9' report

profile -c /no/such/command
equals 'no such command: exit status' 2 "$status"
equals 'no such command: no report' '' "$(cat report)"
has_line 'no such command: named' '/no/such/command' errors
