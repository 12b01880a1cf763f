# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Any process of ours is killed: nothing is left behind, within 2 s on real hardware. Here every
# instruction is emulated, on CPUs that others use as well.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly bound_seconds=2 slowness=5

# Everything that a run could leave. Modules by name: their use counts are nobody's business.
state()
{
	echo "modules:" "$(cut -d ' ' -f 1 /proc/modules | sort | paste -s -d ' ')"
	echo "tracing:" "$(cd /sys/kernel/tracing && cat kprobe_events uprobe_events set_event; ls instances)"
	echo "mounts:" "$(cut -d ' ' -f 2 /proc/mounts | sort | paste -s -d ' ')"
	echo "files:" "$(find /tmp /var/tmp /dev/shm /var/cache/kmalloc-top -mindepth 1 -maxdepth 1 |
		sort | paste -s -d ' ')"
	echo "processes:" "$(pgrep -l -x 'kmalloc-top|kmt-watchdog|stap.*|cc1|make' | paste -s -d ' ')"
}

# killed NAME PID…: kills them, all at once, and sees that soon everything is as before.
killed()
{
	local name=$1 started
	shift
	kill -9 "$@"
	started=$EPOCHREALTIME
	cleaned "$name" "$started"
}

# cleaned NAME STARTED
cleaned()
{
	local took
	wait_until $((bound_seconds * slowness * 10)) is_as_before > waited
	took=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $2 }")
	echo "$1: as before after $took s"
	if cmp -s before after; then
		ok "$1: everything is as before"
	else
		not_ok "$1: everything is as before" "$(diff before after | paste -s -d '|')"
	fi
	holds "$1: within $bound_seconds s, times $slowness" \
		awk "BEGIN { exit $took > $bound_seconds * $slowness }"
}

is_as_before()
{
	state > after
	cmp -s before after
}

# The shortest of some, in microseconds: what disturbs only makes it longer.
work_time()
{
	local try began took least=0
	for try in 1 2 3 4 5 6 7; do
		began=${EPOCHREALTIME/./}
		workload unix-send 5000 "$SEND_BYTES" > /dev/null
		took=$((${EPOCHREALTIME/./} - began))
		[ "$try" -gt 1 ] && [ "$took" -ge "$least" ] || least=$took
	done
	echo "$least"
}

watchdog()
{
	pgrep -x kmt-watchdog
}

# The untraced figure is nearer than the traced one.
is_untraced()
{
	awk "BEGIN { exit !($1 * $1 < $untraced * $traced) }"
}

state > before
cat before
work_time > /dev/null
untraced=$(work_time)
profile_started
traced=$(work_time)
killed 'kmalloc-top' "$program"
wait "$program" 2> /dev/null
again=$(work_time)
echo "work takes $untraced us, traced $traced us, after a kill $again us"
holds 'tracing can be told by the time that work takes' \
	awk "BEGIN { exit !($traced > 1.2 * $untraced) }"
holds 'kmalloc-top: work takes as long as before' is_untraced "$again"

# What was not live yet has nothing worth keeping.
kmalloc-top --module "$module" --record early.kmr -O early.txt 2> errors &
program=$!
wait_until 300 test -e early.kmr.part
killed 'kmalloc-top, early' "$program"
wait "$program" 2> /dev/null
equals 'kmalloc-top, early: no file' '' "$(ls early.*)"

profile_started --record kept.kmr -O kept.txt
workload pipe 100 > /dev/null
sleep 2
killed 'kmalloc-top, recording' "$program"
wait "$program" 2> /dev/null
equals 'kmalloc-top, recording: it can be read, and is all' kept.kmr.part "$(ls kept.*)"
kmalloc-top -i kept.kmr.part "${only_pipes[@]}" > report
equals 'kmalloc-top, recording: what it had is there' 200 "$(report_count report)"

# staprun is there only until the module is, and goes on as stapio.
env --default-signal=INT kmalloc-top --module "$module" > report 2> errors &
program=$!
until [ -d /sys/module/kmt_vm ]; do :; done
pkill -9 -x 'staprun|stapio'
started=$EPOCHREALTIME
profile_ended
cleaned 'staprun' "$started"
equals 'staprun: exit status' 1 "$status"
has_line 'staprun: why' '^kmalloc-top: staprun ended with signal 9' errors

profile_started
workload pipe 100 > /dev/null
sleep 1
started=$EPOCHREALTIME
pkill -9 -x stapio
profile_ended
cleaned 'stapio' "$started"
equals 'stapio: exit status' 3 "$status"
has_line 'stapio: why' '^Ended early: ' report
has_line 'stapio: the loss is told' '^Lost: ' report
holds 'stapio: work takes as long as before' is_untraced "$(work_time)"

profile_started "${only_pipes[@]}"
workload pipe 100 > /dev/null
kill -9 "$(watchdog)"
workload pipe 100 > /dev/null
started=$EPOCHREALTIME
profile_ended INT
cleaned 'the watchdog' "$started"
is_complete 'the watchdog'
equals 'the watchdog: the run goes on' 400 "$(report_count report)"

# The terminal goes away with all that is in the foreground, politely or not.
profile_started
kill -HUP "$(watchdog)"
kill -TERM "$(watchdog)"
kill -INT "$(watchdog)"
killed 'kmalloc-top, its watchdog told to end' "$program"
wait "$program" 2> /dev/null

# Nobody is left to clean up.
profile_started
kill -9 "$program" "$(watchdog)" "$(pgrep -x stapio)"
wait "$program" 2> /dev/null
sleep 3
holds 'all at once: the module is left' [ -d /sys/module/kmt_vm ]
profile -d 1
has_line 'all at once: the next start removes it and says so' \
	'^kmalloc-top: removed the module kmt_vm of a run that is gone$' errors
is_complete 'all at once: the next run'
cleaned 'all at once' "$EPOCHREALTIME"

# Compiling, as far as the compiler.
if [ -d "/lib/modules/$(uname -r)/build" ] && command -v stap > /dev/null; then
	for victim in kmalloc-top stap; do
		kmalloc-top "--build-module=$(uname -r)" -O kmt_killed.ko > report 2> errors &
		program=$!
		wait_until 1200 pgrep -x 'cc1|make' > waited
		holds "$victim, compiling: it does" pgrep -x stap
		started=$EPOCHREALTIME
		pkill -9 -x "$victim"
		wait "$program" 2> /dev/null
		status=$?
		cleaned "$victim, compiling" "$started"
		equals "$victim, compiling: no file" '' "$(ls kmt_killed*)"
	done
	equals 'stap, compiling: exit status' 1 "$status"
	has_line 'stap, compiling: why' 'stap was ended by signal 9' errors
fi
