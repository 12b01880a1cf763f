# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# --check: what it says of a host on which a run would start, and of one on which none would; and that
# it changes nothing.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

# What a run would change: modules, mounts, the cache with its times, temporary files.
everything()
{
	cut -d ' ' -f 1 /proc/modules
	cat /proc/mounts
	find /var/cache /root /tmp -path /tmp/work -prune -o -printf '%p %m %s %T@ %C@\n' | sort
	ls -R /sys/kernel/tracing/instances
}

# check ARG…: leaves what it says in ./report and ./errors, and $status.
check()
{
	kmalloc-top --check --collector=stap "$@" > report 2> errors
	status=$?
}

# says_no NAME TOPIC
says_no()
{
	equals "$1: exit status" 1 "$status"
	has_line "$1: reported" "^FAIL  $2:" report
	has_line "$1: the last line" '^A run would not start: [0-9]+ of the above (is|are) in its way\.$' \
		<(tail -n 1 report)
}

# with_one FILE COMMAND…: while FILE of the kernel says 1; it cannot be set back, so it is covered.
with_one()
{
	local file=$1
	shift
	echo 1 > one
	mount --bind one "$file" || return
	"$@"
	umount "$file"
}

# vmalloc has tracepoints from 6.2 on.
others='cache, page, free, percpu'
[ ! -e /sys/kernel/tracing/events/vmalloc/alloc_vmap_area ] || others+=', vmalloc'

everything > before
started=$EPOCHREALTIME
check
echo "--check took $(awk "BEGIN { print $EPOCHREALTIME - $started }") s"
everything > after
cat report
equals 'a run would start: exit status' 0 "$status"
equals 'a run would start: the last line' 'A run would start.' "$(tail -n 1 report)"
equals 'a run would start: nothing on stderr' '' "$(cat errors)"
equals 'a run would start: nothing fails' 0 "$(grep -c '^FAIL' report)"
has_line 'a run would start: this kernel' "^ok    Kernel: +$(uname -r | sed 's/[.+]/\\&/g') " report
has_line 'a run would start: compiled before' '^ok    Probe module: was compiled before$' report
has_line 'a run would start: its events' "^ok    Events: +kmalloc .*; with --events also $others\$" report
has_line 'a run would start: how caches are named' '^(ok  |note)  Cache names: +read from the kernel' report
has_line 'a run would start: the memory it takes' '^ok    Buffers: +[0-9]+ MB .*, MemAvailable [0-9]' report
has_line 'a run would start: who walks stacks' '^(ok  |note)  Stack walks: +by the (module|kernel)' report
has_line 'a run would start: no leftovers' '^ok    Leftovers: +none$' report
holds 'nothing was changed' diff before after

check --module "$module" --record new.kmr
equals 'with a module: exit status' 0 "$status"
has_line 'with a module: it fits' '^ok    Probe module: .* fits ' report
holds 'with a module: no recording was made' sh -c '! ls new.kmr*'

touch there.kmr
check --record there.kmr
says_no 'a recording that exists' Recording

setpriv --reuid 65534 --clear-groups kmalloc-top --check --collector=stap > report 2> errors
status=$?
says_no 'another user' Rights

with_one /proc/sys/kernel/modules_disabled check
says_no 'no more modules' Modules
# Not every kernel knows FIPS.
if [ -e /proc/sys/crypto/fips_enabled ]; then
	with_one /proc/sys/crypto/fips_enabled check
	says_no 'FIPS' FIPS
fi

profile_started
kmalloc-top --check --collector=stap > live 2> errors
equals 'beside a live run: exit status' 0 "$?"
has_line 'beside a live run: its module has a reader' '^ok    Leftovers: .*of live runs: kmt_vm$' live
profile_ended INT
is_complete 'the live run'
