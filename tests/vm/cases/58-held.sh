# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# What --held records is enough to pair each allocation with its free, whoever frees, and however: also
# where there is no tracepoint, and under filters.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=held.sh source-path=SCRIPTDIR
. /tmp/cases/held.sh

insmod "$modules/vmtest_first.ko"

# known_work: objects that stay, and others that a kworker frees, RCU, or somebody in bulk. Maple nodes of
# processes are allocated and freed in bulk, too.
cat > known_work <<-WORK
	#!/bin/sh
	echo 1000 > $known/keep
	echo 2000 > $known/worker
	echo 500 > $known/rcu
	echo 2400 > $known/bulk
	workload open 1000
	for n in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done
WORK
chmod +x known_work

# holds_what_is_kept NAME: of the known work.
holds_what_is_kept()
{
	equals "$1: what is kept is held" 1000 "$(held_by vmtest_keep)"
	equals "$1: what a kworker freed is not" 0 "$(held_by vmtest_hand_over)"
	equals "$1: what RCU frees is not" 0 "$(held_by vmtest_free_by_rcu)"
	equals "$1: a third of what was allocated in bulk is" 800 "$(held_by vmtest_allocate_bulk vmtest_bulk)"
}

profile "${held[@]}" --record host.kmr -- ./known_work
count_held host.kmr
pairs_all 'the host'
holds_what_is_kept 'the host'
holds 'the host: frees by RCU' [ "$(counted_as free rcu)" -ge 1000 ]
holds 'the host: frees in bulk' [ "$(counted_as free bulk)" -ge 800 ]
# Frees have their cache from about Linux 5.12 on.
readonly tracing=/sys/kernel/tracing
mountpoint -q "$tracing" || mount -t tracefs tracefs "$tracing"
to_another=''
! grep -q ' name;' "$tracing/events/kmem/kmem_cache_free/format" || to_another=', 0 wrong-cache frees'
has_line 'the host: nothing is freed twice, or to another cache' \
	"^Checks: 0 possible double frees$to_another\$" report
equals 'the host: frees of pages are not recorded' 0 "$(($(counted_as free page) + $(counted_as unknown page)))"
holds 'the host: own allocations are marked' grep -q ^own counted
equals 'the host: ... and not held' '' "$(held_by_process 'kmalloc-top|stapio')"
echo 1 > $known/release

# What is freed out of scope is freed.
profile "${held[@]}" --only-command --record command.kmr -- ./known_work
count_held command.kmr
pairs_all 'the command'
holds_what_is_kept 'the command'
equals 'the command: nobody else allocates' '' \
	"$(awk -F '\t' '$1 == "held" && $4 !~ /^(known_work|workload|true|sh|kmalloc-top)$/' counted)"
echo 1 > $known/release

mkfifo go
exec {go}<> go
sh -c "read -r word < go; exec ./known_work" &
worker=$!
profile_started "${held[@]}" -p "$worker" --record pids.kmr
echo now >&"$go"
wait "$worker"
profile_ended INT
count_held pids.kmr
pairs_all 'a process'
holds_what_is_kept 'a process'
echo 1 > $known/release

# A cache is requested: of the others only frees are recorded.
slabstack "${collect[@]}" --held --format=text --record cache.kmr -c 'workload open 1000' filp > report 2> errors
status=$?
count_held cache.kmr
pairs_all 'a cache'
holds 'a cache: its frees are paired' [ "$(counted_as free cache)" -ge 1000 ]
equals 'a cache: no other' '' "$(awk -F '\t' '$1 == "held" && $3 != "filp"' counted)"
holds 'a cache: frees of others are recorded' [ "$(counted_as unknown kfree)" -gt 0 ]

profile --held --events=page --record pages.kmr -- workload pipe-page 500
count_held pages.kmr
pairs_all 'pages'
holds 'pages: those of pipes are freed' [ "$(counted_as free page)" -ge 500 ]
equals 'pages: those of pipes are not held' '' "$(held_by_process workload | grep pipe_write)"
equals 'pages: no objects are freed' 0 "$(($(counted_as free kfree) + $(counted_as unknown kfree)))"

kmalloc-top --module "$module" --held --events=kmalloc -d 1 > report 2> errors
equals 'a module without frees: exit status' 1 "$?"
has_line 'a module without frees: the remedy' '--events=kmalloc,free' errors

# The kprobes are the module's own: they go with it, whatever ends the run.
profile_started "${held[@]}"
has_line 'killed: probes were there' kvfree_call_rcu /sys/kernel/debug/kprobes/list
kill_at_once $(pgrep -x 'kmalloc-top|stap.*')
wait_until 300 test ! -e /sys/module/kmt_all
equals 'killed: no probes are left' '' "$(cat /sys/kernel/debug/kprobes/list)"
./known_work
echo 1 > $known/release
rmmod vmtest_first
