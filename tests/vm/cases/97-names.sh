# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Who allocated: a process has the name of its leader, whichever of its threads did; by perf events, and
# by SystemTap where there is a module.
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

collect_by perf
named 'perf events'
[ ! -e "$module" ] || {
	collect_by kmt_vm
	named 'SystemTap'
}
