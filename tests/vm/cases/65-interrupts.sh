# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# Allocations of interrupts are rows of their own, and nobody's: neither the interrupted process's nor
# the command's.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

pings=40
work=500

# A network device that receives in softirq: what one end sends, the other one gets.
ip netns add other
modprobe veth
ip link add here type veth peer name there netns other
ip addr add 192.0.2.1/24 dev here
ip link set here up
ip -n other addr add 192.0.2.2/24 dev there
ip -n other link set there up
ip -n other link set lo up
# Of this size the answer takes a kmalloc of its own.
ping=(busybox ping -q -A -c "$pings" -s 1400 192.0.2.2)
wait_until 50 "${ping[@]}" > /dev/null

profile --details -I icmp_reply -- "${ping[@]}"
grep -v -i 'ping\|packets\|round-trip\|^$' report > report.only && mv report.only report
is_complete 'softirq'
equals 'softirq: an answer each' "$pings" "$(report_count report)"
has_line 'softirq: a row of its own' '^processes: \[softirq\] 100 %$' report

profile --only-command -I icmp_reply -- "${ping[@]}"
equals 'softirq: none of it is the command'"'"'s' 0 "$(report_count report)"
has_line 'softirq: what was left out is shown' \
	'^Interrupts left out: [1-9][0-9,]* allocations in softirq and hardirq' report

profile --only-command --with-interrupts -I icmp_reply -- "${ping[@]}"
equals 'softirq: counted when asked for' "$pings" "$(report_count report)"
ip netns del other

insmod /tmp/modules/vmtest_first.ko
# As in $unrelated, but its own interrupts count.
readonly other_work="__pcs_,_slab_obj_exts,memcg_alloc_"
readonly only_ours=(-I vmtest_allocate -e "$other_work")
both="echo $work > /sys/module/vmtest_first/parameters/task
	echo $work > /sys/module/vmtest_first/parameters/hardirq"
profile --details "${only_ours[@]}" -- sh -c "$both"
is_complete 'hardirq'
equals 'hardirq: all of both' $((2 * work)) "$(report_count report)"
interrupt='\[hardirq\]'
# There, a thread of the kernel runs this work, and no interrupt does.
[[ $(uname -v) == *PREEMPT_RT* ]] && interrupt='irq_work/[0-9]*\[[0-9]*\]'
equals 'hardirq: a row of its own' 1 "$(grep -c "^processes: $interrupt 100 %\$" report)"
equals 'hardirq: the process has the other' 1 "$(grep -c '^processes: sh\[[0-9]*\] 100 %$' report)"

profile --only-command "${only_ours[@]}" -- sh -c "$both"
is_complete 'hardirq: only the command'
equals 'hardirq: only the command' "$work" "$(report_count report)"
equals 'hardirq: only the command: one stack' 1 "$(report_stacks report)"
rmmod vmtest_first
