# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# The emitter's own walks find what the kernel finds, also while tracers replace return addresses and
# while modules come and go; and if they do not, that is noticed.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=tracers.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/tracers.sh"

readonly walks=/sys/module/kmt_all/parameters/kmt_walks
mountpoint -q "$tracing" || mount -t tracefs tracefs "$tracing"
ip link set lo up

# walks_by WAY: how often, so far.
walks_by()
{
	awk -v way="$1" 'NR == 1 { for (i = 1; i < NF; i += 2) if ($i == way) print $(i + 1) }' "$walks"
}

some_of_all()
{
	workload pipe 500
	workload unix-send 500 "$SEND_BYTES"
	workload tcp-connect 200
	workload vfork 50
	for _ in 1 2 3; do
		find /etc | tail -n 1
		tar cf copy.tar /etc/init.d /etc/default
	done
	rm copy.tar
} > /dev/null 2>&1

collect_by kmt_all
profile_started --events=kmalloc,cache --stack-walk=compare --details -O walks.report
some_of_all
some_of_all
by_memo=$(walks_by memo) by_rules=$(walks_by rules) by_kernel=$(walks_by kernel)
modules_come_and_go
modules_come_and_go
with_return_probes
with_function_graph
by_kernel_beside=$(walks_by kernel)
some_of_all
cat "$walks" > walks
profile_ended INT
cp walks.report report
equals 'all walks are compared: exit status' 0 "$status"
has_line 'all walks are compared, and none is different' \
	'^Stack walks compared: [0-9]{2,3},[0-9]{3}, different: 0$' report
holds 'most walks are memos' [ "$by_memo" -gt $((3 * (by_rules + by_kernel))) ]
holds 'the rest are walks by rules' [ "$by_rules" -gt 100 ]
holds 'the kernel walks where return addresses were replaced' \
	[ "$by_kernel_beside" -gt $((by_kernel + 100)) ]

profile --events=kmalloc,cache -d 3 --details
has_line 'one of many walks is compared' '^Stack walks compared: [0-9]+, different: 0$' report

profile --events=kmalloc,cache --stack-walk=kernel --details -c 'workload pipe 100'
equals 'the kernel walks: exit status' 0 "$status"
has_line 'the kernel walks, as was asked for' "^Stack walks: the kernel's \(--stack-walk=kernel\)$" report

# Memos that are not verified are wrong soon.
collect_by kmt_unverified
profile_started --stack-walk=compare -O unverified.report
some_of_all
profile_ended INT
cp unverified.report report
equals 'a walk that differs: exit status' 3 "$status"
has_line 'a walk that differs is reported' '^Stack walks compared: [0-9,]+, different: [1-9]' report
has_line '... and so is who walked then' "^Stack walks: the kernel's \(a walk differed" report
has_line '... and the remedy' '--stack-walk=kernel' errors

# As on other machines and older kernels, which have no ORC.
collect_by kmt_no_orc
profile --details "${only_pipes[@]}" -c 'workload pipe 500'
is_complete 'without ORC'
equals 'without ORC: all is counted' 1000 "$(report_count report)"
equals 'without ORC: two stacks' 2 "$(report_stacks report)"
has_line 'without ORC: the kernel walks' "^Stack walks: the kernel's \\(this kernel has no ORC unwinder\\)$" report
