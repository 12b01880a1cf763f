# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Which collector a run takes by itself, what it says of that, and what perf events need.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly cache=/var/cache/kmalloc-top
readonly work=(--only-command "${only_messages[@]}" -- workload message 200)

# chosen FILE: the line that a run, or --check, says about it, without what introduces it.
chosen()
{
	sed -n -E -e 's/^kmalloc-top: collector: //p' -e 's/^ok    Collector: +//p' "$1"
}

# takes NAME COLLECTOR ARG…: which collector a run takes by itself; leaves its $reason.
takes()
{
	local name=$1 collector=$2 title started=$EPOCHREALTIME
	shift 2
	title=SystemTap
	[ "$collector" = stap ] || title='perf events'
	"$@" kmalloc-top "$every_event" "${work[@]}" > report 2> errors
	status=$?
	echo "$name: $(chosen errors), all of it took $(awk "BEGIN { print $EPOCHREALTIME - $started }") s; $(tail -n 1 report)"
	equals "$name: exit status" 0 "$status"
	equals "$name: counted" 200 "$(report_count report)"
	equals "$name: one line says so" 1 "$(grep -c "^kmalloc-top: collector: $title" errors)"
	reason=$(chosen errors | sed -n -E 's/.*\((.*)\)$/\1/p')
	"$@" kmalloc-top --check > check
	has_line "$name: --check says the same" "^$collector: " <(chosen check)
	equals "$name: --check has the same reason" "$reason" \
		"$(chosen check | sed -n -E 's/.*\((SystemTap: .*)\)$/\1/p')"
}

# with_file FILE CONTENT COMMAND…: runs it where FILE has other content, for it alone.
with_file()
{
	echo "$2" > covered
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount sh -c 'mount --bind covered "$0" && exec "$@"' "$1" "${@:3}"
}

# What is ready is what --check finds in no need of anything.
if kmalloc-top --check --collector=stap > ready && ! grep -q -E '^(FAIL|note)  (SystemTap|Probe module)' ready; then
	takes 'a module is cached' stap
	equals 'a module is cached: no reason is needed' '' "$reason"
	takes 'no modules are loaded any more' perf with_file /proc/sys/kernel/modules_disabled 1
	equals 'no modules are loaded any more: why' 'SystemTap: the kernel loads no modules' "$reason"
	takes 'no SystemTap' perf with_file "$(command -v staprun)" ''
	has_line 'no SystemTap: why' '^SystemTap: not installed' <(echo "$reason")
	mv "$cache" "$cache.kept"
	takes 'no module is cached' perf
	has_line 'no module is cached: why' \
		'^SystemTap: first use on this kernel compiles for about a minute; --collector=stap$' \
		<(echo "$reason")
	holds 'no module is cached: none is compiled' [ ! -e "$cache" ]
	mv "$cache.kept" "$cache"
else
	takes 'SystemTap is not ready' perf
	has_line 'SystemTap is not ready: why' '^SystemTap: [a-z]' <(echo "$reason")
fi

if [ -e "$module" ]; then
	kmalloc-top --module "$module" "$every_event" "${work[@]}" > report 2> errors
	equals '--module: exit status' 0 $?
	has_line '--module: takes it' '^Run: .*, SystemTap [0-9.]+(,|$)' report
	equals '--module: has been chosen, so nothing is said' '' "$(chosen errors)"
	equals '--module: counted' 200 "$(report_count report)"
fi

kmalloc-top --collector=perf --module there.ko -d 1 > report 2> errors
equals '--module is not for perf events: exit status' 2 $?
has_line '--module is not for perf events: why' '--module and -o are for SystemTap' errors

kmalloc-top --collector=perf -q "${work[@]}" > report 2> errors
equals '-q: says nothing of the collector' '' "$(grep -E 'collector|buffers' errors)"

setpriv --reuid 65534 --clear-groups kmalloc-top --collector=perf -d 1 > report 2> errors
equals 'another user: exit status' 1 $?
equals 'another user: no report' '' "$(cat report)"
equals 'another user: one line' 1 "$(wc -l < errors)"
has_line 'another user: the remedy' 'sudo' errors
setpriv --reuid 65534 --clear-groups kmalloc-top --collector=perf --check > check
equals 'another user: --check' 1 $?
has_line 'another user: --check says so' '^FAIL  Rights:.*sudo' check

# without COMMAND…: runs it where neither of the filesystems with tracepoints is mounted but what
# $mounted says.
without()
{
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount bash -c '
		while read -r _ place type _; do
			case $type in tracefs | debugfs) echo "$place" ;; esac
		done < /proc/mounts | sort -r | xargs -r -n 1 umount
		[ -z "$mounted" ] || mount -t "$mounted" none /sys/kernel/debug
		cat /proc/self/mountinfo > mounts.before
		"$@"
		status=$?
		cat /proc/self/mountinfo > mounts.after
		exit "$status"' bash "$@"
}

# traces_without WHAT [MOUNTED]
traces_without()
{
	export mounted=${2:-}
	without kmalloc-top --collector=perf --only-command "${only_messages[@]}" -O report -- \
		sh -c 'cat /proc/self/mountinfo; workload message 300' > said 2> errors
	equals "$1: exit status" 0 $?
	equals "$1: nothing lost" 'Lost: none' "$(tail -n 1 report)"
	equals "$1: counted" 300 "$(report_count report)"
	equals "$1: what is mounted" "$mounted" "$(grep -o -w -E 'tracefs|debugfs' mounts.before | sort -u)"
	holds "$1: the mounts stay as they are" cmp mounts.before mounts.after
	holds "$1: the command sees no other ones" cmp mounts.before <(sed /^workload/d said)
}

# Another case mounts filesystems of its own beside this one.
traces_mounted()
{
	grep -E ' - (tracefs|debugfs) ' /proc/self/mountinfo || true
}

before=$(traces_mounted)
traces_without 'no tracefs'
traces_without 'debugfs alone' debugfs
equals 'nothing was mounted outside' "$before" "$(traces_mounted)"

unshare --pid --fork --mount-proc kmalloc-top --collector=perf --details "${work[@]}" > report 2> errors
equals 'in a container: exit status' 0 $?
tail -n 1 report
has_line 'in a container: what pids are' '^kmalloc-top: pids are those of this container' errors
equals 'in a container: counted' 200 "$(report_count report)"
has_line 'in a container: by whom' '^processes: workload\[[0-9]{1,2}\] 100 %$' report

# Two containers, in which the program has the same pid: each has kprobes of its own.
contained()
{
	unshare --pid --fork --mount-proc kmalloc-top --collector=perf "$every_event" --events=kmalloc,cache \
		-I alloc_pipe_info -e "$unrelated" --only-command -c 'workload pipe 300' \
		> "contained.$1" 2> "contained.errors.$1"
	echo $? > "contained.status.$1"
}
contained 1 &
contained 2 &
wait
for container in 1 2; do
	cp "contained.errors.$container" errors
	equals "container $container of two: exit status" 0 "$(cat "contained.status.$container")"
	equals "container $container of two: counted" 600 "$(report_count "contained.$container")"
done
