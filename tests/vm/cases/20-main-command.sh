# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# The main job as it is typed, until Ctrl-C on a terminal or the command's end.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

(cd / && find usr/include -name 's*' > /dev/null) # so that the first run is like the second
profile -m 10 -t 3 -e tcp_ -c 'find /usr/include -type f'
grep -v '^/usr/include/' report > report.only && mv report.only report
is_complete 'with -c'
has_line 'with -c: the banner names the exclusion' '^Will exclude stacks containing: tcp_' report
equals 'with -c: three stacks' 3 "$(report_stacks report)"
# shellcheck disable=SC2016 # awk's
holds 'with -c: each at least ten times' awk '/^This path seen/ && $4 < 10 { exit 1 }' report
equals 'with -c: the command ended well, so nothing is said' '' "$(grep '^Traced command: ' report)"

profile -I tcp_ -c 'workload tcp-connect 50'
holds 'there are stacks of TCP' [ "$(report_stacks report)" -gt 0 ]
profile -e tcp_ -c 'workload tcp-connect 50'
is_complete 'excluded'
holds 'excluded: no frame line has tcp_' sh -c '! grep "^ 0x.* : .*tcp_" report'
profile --details -e tcp_ -c "sh -c 'workload tcp-connect 5; exit 3'"
has_line 'excluded: what was dropped is shown' "^Dropped: [0-9]+ stacks? by -e 'tcp_' " report
has_line 'the exit status of the command is shown' '^Traced command: .* ended with exit status 3$' report

# As on a terminal: the line discipline sends the signal to the foreground group.
mkfifo keys
rm -f report errors
script -q -e -c "kmalloc-top --module $module $every_event -v -m 10 -t 3 -e tcp_ -O $PWD/report 2> $PWD/errors" terminal \
	< keys > /dev/null 2>&1 &
terminal=$!
exec 3> keys
wait_for_probes
workload pipe 500 > /dev/null
printf '\003' >&3
wait "$terminal"
status=$?
exec 3>&-
is_complete 'Ctrl-C'
has_line 'Ctrl-C: the pipes are there' '^This path seen (500|50[0-9]|5[1-9][0-9]) times' report
has_line 'Ctrl-C: a summary' '^Num stacks after filtering: [123]$' report
