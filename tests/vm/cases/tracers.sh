# shellcheck shell=bash
# shellcheck disable=SC2154 # lib.sh has $modules
# SPDX-License-Identifier: GPL-2.0-or-later
# What makes walks of stacks hard: modules that come and go, and tracers that replace return addresses. Sourced after
# lib.sh by the cases of walks; some_of_all is their work.
readonly tracing=/sys/kernel/tracing

modules_come_and_go()
{
	insmod "$modules/vmtest_first.ko"
	echo 200 > /sys/module/vmtest_first/parameters/task
	rmmod vmtest_first
	insmod "$modules/vmtest_second.ko"
	echo 200 > /sys/module/vmtest_second/parameters/task
	rmmod vmtest_second
}

# The kernel finds the return addresses that these have replaced, so it has to walk.
with_return_probes()
{
	echo 'r:returns_of_opens do_sys_openat2' > "$tracing/kprobe_events"
	echo 1 > "$tracing/events/kprobes/enable"
	some_of_all
	echo 0 > "$tracing/events/kprobes/enable"
	echo > "$tracing/kprobe_events"
}

with_function_graph()
{
	echo 'vfs_*' > "$tracing/set_ftrace_filter"
	echo function_graph > "$tracing/current_tracer"
	some_of_all
	echo nop > "$tracing/current_tracer"
	echo > "$tracing/set_ftrace_filter"
}
