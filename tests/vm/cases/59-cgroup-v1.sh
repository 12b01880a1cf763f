# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# boot: systemd.unified_cgroup_hierarchy=0
# A host whose memory controller is of cgroup v1, as RHEL 7 and 8 have it: what a process allocates is counted and
# named as elsewhere, also if it is charged to a v1 group. A guest of its own: the controller does not soon come back to
# the v2 hierarchy, which other cases need; nothing reads the boot argument here.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly messages=2000 pipes=400 more=300

mkdir -p v1
if ! mount -t cgroup -o memory none v1 2> mount.errors; then
	# Kernels from 6.11 on may be built without it.
	has_line 'this kernel has no memory controller of v1' 'CONFIG_MEMCG_V1 is not set' "/boot/config-$(uname -r)"
	exit
fi
trap 'for try in 1 2 3 4 5; do rmdir v1/work && break; sleep 1; done; umount v1' EXIT
mkdir v1/work

for by in kmt_all perf; do
	collect_by "$by"
	profile "${only_messages[@]}" -c "sh -c 'echo \$\$ > v1/work/cgroup.procs && exec workload message $messages'"
	is_complete "$by: messages"
	counts "$by: messages" "$messages" $((messages * message_allocated))

	rows=()
	for count in "$pipes" $((pipes + more)); do
		profile --events=cache --only-command --by=cache -- \
			sh -c "echo \$\$ > v1/work/cgroup.procs && exec workload pipe $count"
		is_complete "$by: $count pipes"
		rows+=("$(cache_row filp)")
	done
	if grep -q '^Names: 100 % unknown; not reported: .* this build was made without libbpf' report; then
		ok "$by: two files for each pipe: caches of this kernel have no names without libbpf"
		continue
	fi
	equals "$by: two files for each pipe" $((2 * more)) $((${rows[1]:-0} - ${rows[0]:-0}))
done

holds 'the group was charged' [ "$(cat v1/work/memory.max_usage_in_bytes)" -gt 0 ]
# The shell begins in the root. Its group is read at the exec, while the process lives: a program of a tenth of a second
# has ended before a busy reader sees the exec.
rm -f go
{ wait_until 600 pgrep -x workload > pid && sleep 1 && touch go; } &
profile --by=cgroup --only-command -- \
	sh -c "echo \$\$ > v1/work/cgroup.procs && exec workload -a go pipe $pipes"
wait $!
equals 'by cgroup: the group of the v1 controller' /work "$(rows | awk '$2 != "/" { print $2 }' | sort -u)"

# A process that moves without an exec. Nothing tells perf events of that: they look once a second.
for by in kmt_all perf; do
	collect_by "$by"
	rm -f go
	workload -a go pipe "$pipes" &
	moved=$!
	profile_started --by=cgroup -p "$moved"
	echo "$moved" > v1/work/cgroup.procs
	sleep 2
	touch go
	wait "$moved"
	profile_ended INT
	# What it allocates while it waits for the file, about 100 times a second, may be of the root.
	equals "$by: moved without exec: the group of all pipes" /work \
		"$(rows | awk -v pipes="$pipes" '$1 >= 2 * pipes { print $2 }' | sort -u)"
done

slabstack --format=json > report 2> errors
equals 'the overview has the groups of the v1 controller' '1 known' "$(tr -d ' \n' < report |
	sed -n -E 's/.*"cgroups_visible":([0-9]+),.*"cgroups_dying":[0-9]+,.*/\1 known/p')"
