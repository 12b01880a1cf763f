# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# Who allocated: a process has the name of its leader, whichever of its threads did, and a kernel thread
# that is born during the run has its own; by perf events, and by SystemTap where there is a module.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

sends=500 threads=3

# shows NAME BY ROWS
shows()
{
	profile "${only_sends[@]}" --by="$2" --only-command \
		-c "workload -t $threads -N crew unix-send $sends $SEND_BYTES"
	is_complete "$1"
	equals "$1: the rows" "$3" "$(rows)"
}

# named NAME
named()
{
	shows "$1: by process" process "$((threads * sends)) workload"
	shows "$1: by pid" pid "$((threads * sends)) workload[N]"
	shows "$1: by thread" thread "$(seq -f "$sends crew-%g[N]" 0 $((threads - 1)))"
}

# names_threads_of_the_kernel NAME
names_threads_of_the_kernel()
{
	profile --by=pid -I vmtest_allocate -e "$unrelated" \
		-- sh -c 'for i in 1 2 3; do echo "vmtest_$i" > /sys/module/vmtest_first/parameters/thread; done'
	is_complete "$1: threads of the kernel"
	equals "$1: threads of the kernel: the rows" "$(seq -f '1000 vmtest_%g[N]' 3)" "$(rows)"
}

collect_by perf
named 'perf events'
[ ! -e "$module" ] || {
	collect_by kmt_vm
	named 'SystemTap'
	insmod "$modules/vmtest_first.ko"
	names_threads_of_the_kernel 'SystemTap'
	collect_by perf
	names_threads_of_the_kernel 'perf events'
	rmmod vmtest_first
}
