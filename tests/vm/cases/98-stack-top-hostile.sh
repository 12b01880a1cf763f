# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# Programs, libraries, maps of code and file systems that a stranger prepared: a run ends by itself and takes no
# more memory than it may, its report says what could not be read, and all of another program is in it.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"

# Of a call that hardly anybody makes, so nothing is lost on a busy host.
readonly calls=300
# What the program and each of its processes may have: names of one file may take 768 MB.
readonly kilobytes_max=900000

victims=()
folders=()
cleanup()
{
	local folder
	[ "${#victims[@]}" = 0 ] || kill -9 "${victims[@]}" 2> /dev/null
	for folder in "${folders[@]}"; do
		umount -l "$folder"
	done
	rm -f "/tmp/perf-$victim.map"
	victims=() folders=()
}
victim=none
trap cleanup EXIT

# victim_is COMMAND…: a process of a stranger, which maps what it has.
victim_is()
{
	"$@" > /dev/null 2>&1 &
	victim=$!
	victims+=("$victim")
	disown
	sleep .5
}

# attacked NAME FRAME: observes a known program beside the victims, which end then. A run that does not end is killed.
# The report has the frame, if it is given: the victim was observed.
attacked()
{
	local name=$1 frame=${2:-} kilobytes=
	rm -f report
	timeout -s KILL 60 hostile largest stack-top "${collect[@]}" t:syscalls:sys_enter_getsid -O report \
		-c "hostile steady $calls" > output 2> errors
	grep -E '^[0-9]+ [0-9]+$' output | tail -n 1 > ended
	read -r kilobytes status < ended
	holds "$name: the run ends by itself (${status:-no status})" [ "${status:-9}" = 0 ] || return
	holds "$name: $kilobytes KB are the most that a process has" [ "$kilobytes" -le "$kilobytes_max" ]
	equals "$name: the other program has all of its stacks" "$calls" "$(hits_at call_steadily report)"
	[ -z "$frame" ] || has_line "$name: so has this one" "^ .*$frame" report
	cleanup
}

for kind in symbols beyond wraps; do
	hostile make "$kind" "hostile-$kind"
	victim_is "./hostile-$kind" beat 30
	attacked "a program with sections that are '$kind'" "\\[hostile-${kind}[]+]"
done
rm -f hostile-*

# Maps of generated code, each of which would be read for ever, or is nobody's to read.
make_fifo() { mkfifo "$1"; }
make_link() { ln -s /etc/shadow "$1"; }
make_huge() { truncate -s 8G "$1"; }
make_line() { head -c 64000000 /dev/zero | tr '\0' 1 > "$1"; }
make_strange() { echo "0 ffffffffffffffff secret_of_another" > "$1" && chown 12345 "$1" && chmod 600 "$1"; }
for kind in fifo link huge line strange; do
	victim_is setpriv --reuid 65533 --clear-groups "$(command -v hostile)" generated 30
	"make_$kind" "/tmp/perf-$victim.map"
	[ "$kind" = link ] || [ "$kind" = strange ] || chown 65533 "/tmp/perf-$victim.map"
	attacked "a map of code: $kind" '\[anon\+'
	equals "a map of code: $kind: nothing of it is shown" 0 "$(grep -c -E 'secret_of_another|root:' report)"
done

# shellcheck disable=SC2016 # for the shell inside
victim_is unshare -m sh -c 'touch /tmp/perf-$$.map &&
	mount --bind /proc/kmsg /tmp/perf-$$.map && exec "$0" generated 30' "$(command -v hostile)"
attacked 'a map of code: the log of the kernel' '\[anon\+'

victim_is hostile paths 60000
attacked 'a process with 228 MB of paths'
has_line 'a process with 228 MB of paths: is left out' '^Programs not read: .*no mappings of 1 process' report

# With the usual limit of descriptors.
printf '#!/bin/sh\n' > little
victim_is hostile libraries 3000 little
(ulimit -n 1024 && attacked 'more libraries than descriptors')
cleanup
rm -f library-*

# A file system that answers until the program has begun.
mkdir mounted
hostile serve mounted "$(command -v hostile)" > server &
victims+=($!)
disown
wait_until 50 test -s server
if [ -s server ]; then
	stopped=$(cat server)
	folders+=(mounted)
	victim_is mounted/file beat 60
	victims+=("$stopped")
	kill -STOP "$stopped"
	server_victims=("${victims[@]}")
	rm -f errors
	env --default-signal=INT stack-top "${collect[@]}" t:syscalls:sys_enter_getsid > report 2> errors &
	program=$!
	sleep 1
	kill -INT "$program"
	holds 'a file system that stopped: a signal ends the wait' wait_until 10 sh -c "! kill -0 $program 2> /dev/null"
	kill -9 "$program" 2> /dev/null
	wait "$program" 2> /dev/null
	timeout -s KILL 30 stack-top "${collect[@]}" u:mounted/file:main -d 1 > /dev/null 2> errors
	equals 'a probe in a file system that stopped: status' 1 "$?"
	equals 'a probe in a file system that stopped: one line' 1 "$(wc -l < errors)"
	has_line 'a probe in a file system that stopped: says why' 'file system does not answer in time' errors
	victims=("${server_victims[@]}")
	attacked 'a file system that stopped'
	has_line 'a file system that stopped: the report says so' '^Programs not read: .*took too long to open' report
fi
