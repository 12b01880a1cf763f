# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# A process is counted until its last task is gone, with what it closes on its way out; and who gets its
# pid afterwards is not. By SystemTap and by perf events.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

# More than the some hundred pids that go round below the lowest pid_max.
pairs=200 children=150
# Each end of a connection sends a packet of two allocations.
readonly at_exit=$((pairs * 4))
readonly closing=(--events=kmalloc,cache -I tcp_send_fin -e "$unrelated")

# Each pid comes up again after some hundred forks.
read -r pid_max < /proc/sys/kernel/pid_max

few_pids()
{
	echo 400 > /proc/sys/kernel/pid_max
}

# Processes of another name, a child for each message.
cp "$(command -v workload)" stranger

# reaches_to_the_end NAME
reaches_to_the_end()
{
	local name=$1 worker others
	profile "${closing[@]}" --only-command -c "workload tcp-leave $pairs"
	is_complete "$name: a command"
	equals "$name: a command: what it closes at its end" "$at_exit" "$(report_count report)"

	rm -f go
	few_pids
	workload -a go tcp-leave "$pairs" > /dev/null &
	worker=$!
	profile_started --events=kmalloc,cache -I tcp_send_fin,msgsnd -e "$unrelated" --by=process \
		-p "$worker"
	touch go
	wait "$worker"
	./stranger -c "$children" message 1 > /dev/null
	profile_ended INT
	echo "$pid_max" > /proc/sys/kernel/pid_max
	is_complete "$name: a pid"
	equals "$name: a pid: it alone, to its end" "$(printf '%d workload' "$at_exit")" "$(rows)"

	few_pids
	./stranger -c 100000 message 1 > /dev/null &
	others=$!
	profile "${only_messages[@]}" --only-command --by=process -c "workload -c $children message 1"
	kill "$others"
	wait "$others"
	echo "$pid_max" > /proc/sys/kernel/pid_max
	is_complete "$name: pids that go round"
	equals "$name: pids that go round: descendants alone" "$children workload" "$(rows)"
}

collect_by kmt_all
reaches_to_the_end 'SystemTap'
collect_by perf
reaches_to_the_end 'perf events'
