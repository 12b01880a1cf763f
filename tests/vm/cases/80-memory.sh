# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# A host with little memory: what is taken is bounded and shown, what is too much ends the run with its
# report, and the OOM killer takes the program first. Runs in a guest of its own (see ../run).
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly stacks=/sys/module/vmtest_first/parameters/stacks
# More than fit into a --max-memory of 16.
readonly distinct=100000
insmod /tmp/modules/vmtest_first.ko

# memory PID NAME…: the kilobytes of these lines of its status together; 0 when it is gone.
memory()
{
	awk -v names="${*:2}" 'BEGIN { split(names, list); for (i in list) want[list[i] ":"] }
		$1 in want { sum += $2 } END { print sum + 0 }' "/proc/$1/status" 2> /dev/null || echo 0
}

# within LEAST NUMBER MOST
within()
{
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

none_left()
{
	! pgrep -x 'kmalloc-top|staprun|stapio' > /dev/null && ! grep -q '^kmt_' /proc/modules
}

# gone_in_time: nothing of ours is left after ten seconds, however long a look takes.
gone_in_time()
{
	local until=$((${EPOCHREALTIME%.*} + 10))
	until none_left; do
		[ "${EPOCHREALTIME%.*}" -le "$until" ] || { pgrep -l 'kmalloc-top|stap'; return 1; }
		sleep 0.1
	done
}

# Of ./report: the events that came, also those that found their table full; those that did not.
read_events()
{
	sed -n 's/^Total kmallocs (before filtering): //p' report
}

unread_events()
{
	tail -n 1 report | tr -d , |
		sed -n -E 's/^Lost: .*transport ([0-9]+) (unread when the reader ended ([0-9]+) )?skipped.*/\1 \3/p' |
		awk '{ sum = $1 + $2 } END { print sum + 0 }'
}

larger_is_there()
{
	[ "$(memory "$larger" VmRSS)" -gt 80000 ]
}

# The buffers: 1/32 of what is available, as the program says and does.
available=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
profile_started -I vmtest_
line=$(grep '^kmalloc-top: buffers ' errors)
echo "$available MB are available; $line"
has_line 'buffers: they are shown' \
	'^kmalloc-top: buffers [0-9]+ MB \([0-9]+ MB x 2 CPUs\), MemAvailable [0-9]+ MB$' errors
numbers=$(sed -E 's/[^0-9]+([0-9]+)[^0-9]+([0-9]+).* ([0-9]+) MB$/\1 \2 \3/' <<< "$line")
read -r total each available_then <<< "$numbers"
holds 'buffers: the available memory is that of this host' \
	within $((available - 40)) "$available_then" $((available + 40))
holds 'buffers: at most 1/32 of it' [ $((32 * total)) -le "$available_then" ]
holds 'buffers: not less without need' [ $((32 * (total + 2))) -gt "$available_then" ]
equals 'buffers: stapio was given that size for each CPU' 1 \
	"$(tr '\0' '\n' < "/proc/$(pgrep -x stapio)/cmdline" | grep -c -x -e "-b$each")"
profile_ended INT
kmalloc-top --module "$module" --buffer "$available" -d 1 > report 2> errors
equals 'buffers: a size this host cannot spare is a usage error' 2 $?
has_line 'buffers: the most that is sensible is named' 'use --buffer [0-9]+ or less' errors
profile -q -d 1
equals 'buffers: nothing is said with -q' 0 "$(grep -c buffers errors)"

# The tables: the report of SIGUSR1 has everything in memory that the last one will have.
profile_started --max-memory 16 -t 3
echo "$distinct" > "$stacks"
sleep 3
kill -USR1 "$program"
wait_until 600 grep -q '^Lost: ' report
most=$(($(memory "$program" VmHWM) / 1024))
echo "the program took $most MB at most"
profile_ended INT
equals 'tables: exit status' 3 "$status"
has_line 'tables: what found them full has a row' '^\[stacks beyond the memory bound\]' report
has_line 'tables: it is reported as lost' '^Lost: .* memory bound [1-9][0-9,]*$' <(tail -n 1 report)
holds 'tables: the whole program stays below 48 MB' [ "$most" -lt 48 ]

# Queues: nothing is read while more is made than stapio may hold.
profile_started --max-memory 16 -t 3 -p $$
stapio=$(pgrep -x stapio)
made=0
kill -STOP "$program"
while [ "$made" -lt 2000000 ] && [ "$(memory "$stapio" VmRSS VmSwap)" -lt $((24 * 1024)) ]; do
	echo "$distinct" > "$stacks"
	made=$((made + distinct))
done
queued=$(($(memory "$stapio" VmRSS VmSwap) / 1024))
kill -CONT "$program"
profile_ended
echo "stapio held $queued MB after $made events: $(tail -n 2 report | paste -s -d ' ')"
holds 'queues: stapio came to hold more than its bound' [ "$queued" -ge 24 ]
equals 'queues: the run ends by itself: exit status' 3 "$status"
has_line 'queues: the report says why' \
	"^Ended early: SystemTap's stapio held [0-9]+ MB .*--max-memory" report
# Opening a parameter allocates, too: a few for each time.
holds 'queues: counted and lost are all there was' \
	within "$made" $(($(read_events) + $(unread_events))) $((made + 100 * (made / distinct)))
holds 'queues: nothing is left' gone_in_time

# The OOM killer, forced, while something much larger is there.
# shellcheck disable=SC2016 # for perl
perl -e '$held = "x" x 90e6; sleep 600' &
larger=$!
wait_until 300 larger_is_there
profile_started --max-memory 16
ours=$(($(memory "$program" VmRSS) / 1024))
theirs=$(($(memory "$larger" VmRSS) / 1024))
holds "OOM: the other process is larger ($theirs MB and $ours MB)" [ "$theirs" -gt "$ours" ]
for name in kmalloc-top stapio; do
	equals "OOM: $name is to go first" 1000 "$(cat "/proc/$(pgrep -x -o "$name")/oom_score_adj")"
done
echo f > /proc/sysrq-trigger
profile_ended
equals 'OOM: the program was killed' 137 "$status"
holds 'OOM: the other process lives' kill -0 "$larger"
holds 'OOM: nothing of ours is left within 5 s' gone_in_time

# The command is not ours to give away.
profile -c 'cat /proc/self/oom_score_adj' -d 5
equals 'OOM: the profiled command has the score it would have had' 0 "$(head -n 1 report)"
kill "$larger"
rmmod vmtest_first
