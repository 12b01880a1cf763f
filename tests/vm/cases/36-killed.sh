# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Any process of ours is killed: nothing is left behind, within 2 s on real hardware. Here every
# instruction is emulated, on CPUs that others use as well.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly bound_seconds=2 slowness=5
readonly allocations=50000
exec {nothing}<> <(:)

# Everything that a run could leave. Modules by name: their use counts are nobody's business.
state()
{
	echo "modules:" "$(cut -d ' ' -f 1 /proc/modules | sort | paste -s -d ' ')"
	echo "tracing:" "$(cd /sys/kernel/tracing && cat kprobe_events uprobe_events set_event; ls instances)"
	echo "mounts:" "$(cut -d ' ' -f 2 /proc/mounts | sort | paste -s -d ' ')"
	echo "files:" "$(find /tmp /var/tmp /dev/shm /var/cache/kmalloc-top -mindepth 1 -maxdepth 1 |
		sort | paste -s -d ' ')"
	echo "settings:" "$(cat /proc/sys/debug/kprobes-optimization)"
	echo "processes:" "$(ours)"
}

ours()
{
	pgrep -x 'kmalloc-top|kmt-watchdog|stap.*' | paste -s -d ' '
}

# Without a process of its own, which here takes as long as what it waits for.
idle()
{
	read -r -t 0.02 -u "$nothing"
}

# any_is_left PID…: a process or a module.
any_is_left()
{
	local pid
	for pid; do
		[ ! -d "/proc/$pid" ] || return 0
	done
	[ -d /sys/module/kmt_vm ]
}

# cleaned NAME PID…: waits until all of a run is gone, whose processes were these, and sees whether
# everything is as before. The time began when it was called, or, if it is set, at $began.
cleaned()
{
	local name=$1 began=${began:-$EPOCHREALTIME} took
	shift
	local end=$((${began%.*} + bound_seconds * slowness + 1))
	while any_is_left "$@" && [ "${EPOCHREALTIME%.*}" -lt "$end" ]; do
		idle
	done
	took=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $began }")
	holds "$name: gone after $took s, within $bound_seconds s, times $slowness" \
		awk "BEGIN { exit $took > $bound_seconds * $slowness }"
	state > after
	if cmp -s before after; then
		ok "$name: everything is as before"
	else
		not_ok "$name: everything is as before" "$(diff before after | paste -s -d '|')"
	fi
}

# killed NAME PID…: kills them, all at once, and sees that soon everything is as before.
killed()
{
	local name=$1 all began
	shift
	all=$(ours)
	began=$EPOCHREALTIME
	kill -9 "$@"
	# shellcheck disable=SC2086 # pids
	cleaned "$name" $all
}

# That of allocations and nothing besides, the shortest of some, in microseconds: what disturbs only makes
# it longer.
work_time()
{
	local try began took least=0
	for try in 1 2 3 4 5; do
		began=${EPOCHREALTIME/./}
		echo "$allocations" > /sys/module/vmtest_first/parameters/task
		took=$((${EPOCHREALTIME/./} - began))
		[ "$try" -gt 1 ] && [ "$took" -ge "$least" ] || least=$took
	done
	echo "$least"
}

watchdog()
{
	pgrep -x kmt-watchdog
}

# Nearer to the untraced figure than to the traced one. Others use the CPUs, too: once is enough, and
# a probe would be there each time. Leaves $again.
is_untraced()
{
	local try
	for try in 1 2 3 4 5 6; do
		again=$(work_time)
		echo "$try. time: $again us"
		awk "BEGIN { exit !($again * $again < $untraced * $traced) }" && return
	done
	return 1
}

insmod /tmp/modules/vmtest_first.ko
state > before
cat before
untraced=$(work_time)
profile_started
traced=$(work_time)
killed 'kmalloc-top' "$program"
wait "$program" 2> /dev/null
echo "$allocations allocations take $untraced us, traced $traced us"
holds 'tracing shows in the time that work takes' [ "$traced" -gt $((2 * untraced)) ]
holds 'kmalloc-top: work takes as long as before' is_untraced

# What was not live yet has nothing worth keeping.
kmalloc-top --module "$module" --record early.kmr -O early.txt 2> errors &
program=$!
wait_until 300 test -e early.kmr.part
killed 'kmalloc-top, early' "$program"
wait "$program" 2> /dev/null
equals 'kmalloc-top, early: no file' '' "$(ls early.*)"

profile_started --record kept.kmr -O kept.txt
workload unix-send 200 "$SEND_BYTES" > /dev/null
wait_until 100 has_recorded 200 kept.kmr.part "${only_sends[@]}"
killed 'kmalloc-top, recording' "$program"
wait "$program" 2> /dev/null
equals 'kmalloc-top, recording: it can be read, and is all' kept.kmr.part "$(ls kept.*)"
kmalloc-top -i kept.kmr.part "${only_sends[@]}" > report
equals 'kmalloc-top, recording: what it had is there' 200 "$(report_count report)"

# staprun is there only until the module is, and goes on as stapio. The probes are live soon after: no
# process may be needed to kill it.
env --default-signal=INT kmalloc-top --module "$module" > report 2> errors &
program=$!
until [ -d /sys/module/kmt_vm ]; do :; done
read -r -a children < "/proc/$program/task/$program/children"
began=$EPOCHREALTIME
for pid in "${children[@]}"; do
	read -r name < "/proc/$pid/comm"
	[ "$name" = kmt-watchdog ] || kill -9 "$pid"
done
profile_ended
cleaned 'staprun' "$program" "${children[@]}"
# Where even this took too long, the probes were live.
if [ "$status" = 3 ]; then
	has_line 'staprun: why' '^Ended early: ' report
else
	equals 'staprun: exit status' 1 "$status"
	has_line 'staprun: why' '^kmalloc-top: staprun ended with signal 9' errors
fi

profile_started
workload unix-send 100 "$SEND_BYTES" > /dev/null
sleep 1
all=$(ours)
began=$EPOCHREALTIME
pkill -9 -x stapio
profile_ended
# shellcheck disable=SC2086 # pids
cleaned 'stapio' $all
unset began
equals 'stapio: exit status' 3 "$status"
has_line 'stapio: why' '^Ended early: ' report
has_line 'stapio: the loss is reported' '^Lost: ' report
holds 'stapio: work takes as long as before' is_untraced

profile_started "${only_sends[@]}"
workload unix-send 100 "$SEND_BYTES" > /dev/null
kill -9 "$(watchdog)"
workload unix-send 100 "$SEND_BYTES" > /dev/null
profile_ended INT
cleaned 'the watchdog'
is_complete 'the watchdog'
equals 'the watchdog: the run goes on' 200 "$(report_count report)"

# The terminal goes away with all that is in the foreground, politely or not.
profile_started
kill -HUP "$(watchdog)"
kill -TERM "$(watchdog)"
kill -INT "$(watchdog)"
killed 'kmalloc-top, its watchdog asked to end' "$program"
wait "$program" 2> /dev/null

# Nobody is left to clean up.
profile_started
kill_at_once "$(watchdog)" "$program" "$(pgrep -x stapio)"
wait "$program" 2> /dev/null
sleep 3
holds 'all at once: the module is left' [ -d /sys/module/kmt_vm ]
profile -d 1
has_line 'all at once: the next start removes it and says so' \
	'^kmalloc-top: removed the module kmt_vm of a run that is gone$' errors
is_complete 'all at once: the next run'
cleaned 'all at once'
rmmod vmtest_first
