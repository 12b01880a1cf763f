# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# The BPF programs' own walks of stacks find what the kernel finds; if they do not, that is noticed; and where they
# cannot walk, the kernel does, and the report says why.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=tracers.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/tracers.sh"
# Where a guest has bpf_damage.
PATH=$PATH:/usr/lib/kmalloc-top

kmalloc-top --check --collector=bpf > check
lacks=$(sed -n -E 's/^FAIL  BPF: +//p' check)
if [ -n "$lacks" ]; then
	ok "no BPF programs here: $lacks"
	exit
fi
collect_by bpf
all=('--events=kmalloc,cache' --details -v)

# walks WHAT: how many stacks were "by the kernel", "compared" or "different".
walks()
{
	sed -n -E "s/.*stack walks: .*\b([0-9]+) $1.*/\1/p" errors
}

profile "${all[@]}" --stack-walk=kernel --only-command "${only_pipes[@]}" -c 'workload pipe 100'
equals 'the kernel walks: exit status' 0 "$status"
has_line 'the kernel walks, as was asked for' "^Stack walks: the kernel's \(--stack-walk=kernel\)$" report
cp report by-kernel

profile "${all[@]}" --only-command "${only_pipes[@]}" -c 'workload pipe 100'
if grep -q "^Stack walks: the kernel's" report; then
	has_line 'the kernel walks, with the reason' "^Stack walks: the kernel's \(this kernel does not have what " report
	has_line '... also with -v' ' s: the kernel walks all stacks: this kernel does not have what ' errors
	exit
fi
has_line 'walks are by rules' "the BPF programs walk stacks by the kernel's ORC tables" errors
has_line 'one of many is compared' '^Stack walks compared: [0-9,]+, different: 0$' report
equals 'as many allocations as with the walks of the kernel' "$(report_count by-kernel)" "$(report_count report)"
equals 'as many stacks' "$(report_stacks by-kernel)" "$(report_stacks report)"

some_of_all()
{
	workload -t 2 pipe 2000
	workload open 2000
	workload create 300
	workload unix-send 500 "$SEND_BYTES"
	workload tcp-connect 200
	workload vfork 50
	"$(command -v workload)" exec 20
}
export -f some_of_all
profile "${all[@]}" --stack-walk=compare -c 'bash -c "some_of_all; some_of_all"'
equals 'all are compared: exit status' 0 "$status"
has_line 'all are compared, and none is different' '^Stack walks compared: [0-9]{2,3},[0-9]{3}, different: 0$' report
is_complete 'all are compared'
compared=$(walks compared) by_kernel=$(walks 'by the kernel')
echo "$compared compared, $by_kernel by the kernel alone"
holds 'most walks are by rules' [ "$compared" -gt $((4 * by_kernel)) ]

# The kernel's limit would make its stacks shorter than ours. It is one for the host, so it is left alone there.
depth_at=/proc/sys/kernel/perf_event_max_stack
depth=$(cat "$depth_at")
if [ -d "$modules" ]; then
	echo 60 > "$depth_at"
	profile "${all[@]}" --only-command "${only_pipes[@]}" -c 'workload pipe 100'
	echo "$depth" > "$depth_at"
	has_line 'short stacks of the kernel: it walks' "^Stack walks: the kernel's \(kernel\.perf_event_max_stack is " report
	equals 'short stacks of the kernel: all is counted' "$(report_count by-kernel)" "$(report_count report)"
fi

# Tracers and modules are for guests.
if [ -d "$modules" ]; then
	mountpoint -q "$tracing" || mount -t tracefs tracefs "$tracing"
	profile_started "${all[@]}" --stack-walk=compare -O beside.report
	some_of_all
	with_return_probes
	with_function_graph
	modules_come_and_go
	modules_come_and_go
	some_of_all
	profile_ended INT
	cp beside.report report
	equals 'beside tracers and modules: exit status' 0 "$status"
	has_line 'beside tracers and modules: none is different' \
		'^Stack walks compared: [0-9]{2,3},[0-9]{3}, different: 0$' report
	echo "$(walks compared) compared, $(walks 'by the kernel') by the kernel alone"
	holds 'beside tracers and modules: the kernel walks' [ "$(walks 'by the kernel')" -gt $((by_kernel + 1000)) ]
fi

# Without the kernel's addresses its tables are not found.
hidden=(setpriv --bounding-set -syslog)
if "${hidden[@]}" head -n 1 /proc/kallsyms 2> /dev/null | grep -q '^00* '; then
	"${hidden[@]}" kmalloc-top --format=text "${collect[@]}" "${all[@]}" -c 'workload pipe 100' > report 2> errors
	has_line 'hidden addresses: the kernel walks' \
		"^Stack walks: the kernel's \(the kernel's symbols do not show its ORC tables\)$" report
	has_line '... and says so with -v' 'the kernel walks all stacks: .* do not show its ORC tables$' errors
fi

# damaged NAME ARG…: walks whose rules are damaged are found out.
damaged()
{
	local name="damaged rules, $1"
	shift
	profile_started "${all[@]}" "$@" -O damaged.report
	workload pipe 500
	sleep 0.1
	holds "$name: there are rules to damage" bpf_damage 10
	workload pipe 500
	profile_ended INT
	cp damaged.report report
	equals "$name: exit status" 3 "$status"
	has_line "$name: reported" '^Stack walks compared: [0-9,]+, different: [1-9]' report
	has_line "$name: and who walked then" "^Stack walks: the kernel's \(a walk differed from the kernel's\)$" report
	has_line "$name: and the remedy" '--stack-walk=kernel' errors
}
damaged 'all compared' --stack-walk=compare
damaged 'some compared'
