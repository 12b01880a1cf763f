# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# boot: slab_nomerge init_on_alloc=1 init_on_free=1 slub_debug=FZPU page_poison=1 kfence.sample_interval=10
# A hardened kernel: no merged slab caches, memory that is cleared and poisoned, red zones, owners of objects, and
# KFENCE, which takes an object for itself now and then. Counts and bytes are exact with both collectors; names, and
# what is held, with SystemTap. Perf events find names by the pages of objects, which does not work for those of
# KFENCE: they are counted, without a name. A kernel may have no KFENCE, and 5.10 has no list of owners with stacks.
# "slub_debug" is known to all kernels; since 6.9 it is an alias of "slab_debug".
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=held.sh source-path=SCRIPTDIR
. "$cases/held.sh"

readonly slab=/sys/kernel/slab kfence=/sys/kernel/debug/kfence/stats messages=5000 pipes=400 more=300

# kfence_counted NAME: a line of its counters; 0: there is no KFENCE.
kfence_counted()
{
	if [ -e "$kfence" ]; then
		sed -n "s/^$1: //p" "$kfence"
	else
		echo 0
	fi
}

for setting in sanity_checks red_zone poison store_user; do
	equals "slub_debug=FZPU is in force: $setting" 1 "$(cat "$slab/filp/$setting")"
done
equals 'slab_nomerge is in force: no name stands for two caches' '' \
	"$(find "$slab" -mindepth 1 -maxdepth 1 -type l -printf '%l\n' | sort | uniq -d)"
before=$(kfence_counted 'total allocations')

# Since 6.11, messages have caches of their own.
message_cache=$slab/msg_msg-512
[ -e "$message_cache" ] || message_cache=$slab/kmalloc-cg-512
[ -e "$message_cache" ] || message_cache=$slab/kmalloc-512

# counts_messages NAME: a slot has the red zones and owners, too.
counts_messages()
{
	profile "${only_messages[@]}" -c "workload message $messages"
	is_complete "$1: messages"
	counts "$1: messages" "$messages" $((messages * $(cat "$message_cache/slab_size")))
	equals "$1: messages: bytes requested" $((messages * message_allocated)) "$(report_bytes report requested)"
}

# counts_caches NAME: the start and the end of the program take the same of each cache in both runs.
counts_caches()
{
	local count rows=()
	for count in "$pipes" $((pipes + more)); do
		profile --events=cache --only-command --by=cache -- workload pipe "$count"
		is_complete "$1: $count pipes"
		rows+=("$(cache_row filp)")
	done
	equals "$1: two files for each pipe" $((2 * more)) $((${rows[1]:-0} - ${rows[0]:-0}))
	equals "$1: each allocation has its cache" '' "$(grep -E '^ *[0-9,]+ .* (-|\(unknown\))$' report)"
}

for by in perf kmt_all; do
	collect_by "$by"
	counts_messages "$by"
done
counts_caches SystemTap

# held_sockets NAME: what stays is held, what was freed is not. Leaves $taken: how many objects KFENCE took in the run.
held_sockets()
{
	local before
	before=$(kfence_counted 'total allocations')
	profile_started "${held[@]}" --record "${1%% *}.kmr"
	workload pipe "$pipes" > /dev/null
	starts_to_keep keep-sockets 500
	profile_ended INT
	taken=$(($(kfence_counted 'total allocations') - before))
	count_held "${1%% *}.kmr"
	equals "$1, held: exit status" 0 "$status"
	equals "$1, held: two sockets of each pair" 1000 "$(held_by sock_alloc_inode)"
	equals "$1, held: no pipe" 0 "$(held_by "$pipe_frame")"
}

open_gate
collect_by perf
held_sockets 'perf events'
unnamed=$(held_by sock_alloc_inode -)
if kmalloc-top --version | grep -q -F '(libbpf): yes'; then
	holds "perf events, held: $unnamed sockets have no name, KFENCE took $taken objects of all caches" \
		[ "$unnamed" -le $((taken / 4)) ]
else
	equals 'perf events, held: this build has no libbpf, so none of this kernel has a name' 1000 "$unnamed"
fi
equals 'perf events, held: the others have their name' $((1000 - unnamed)) "$(held_by sock_alloc_inode sock_inode_cache)"
let_go
collect_by kmt_all
held_sockets SystemTap
equals 'SystemTap, held: all of them have their name' 1000 "$(held_by sock_alloc_inode sock_inode_cache)"
# The kernel's own list of owners has no objects of KFENCE.
kmalloc-top -q --import=alloc_traces --include=__sys_socketpair --by=cache > report 2> errors
if [ -e /sys/kernel/debug/slab ]; then
	owned=$(cache_row sock_inode_cache)
	holds "held: the kernel's own list has ${owned:-none} of them" [ "${owned:-0}" -le 1000 -a "${owned:-0}" -ge 900 ]
else
	has_line "held: this kernel's own list has no stacks" ': it needs Linux 5\.14, ' errors
fi
let_go

if [ -e "$kfence" ]; then
	after=$(kfence_counted 'total allocations')
	holds "KFENCE took objects: $before before, $after after" [ "${after:-0}" -gt $((${before:-0} + 100)) ]
	equals 'KFENCE found no error' 0 "$(kfence_counted 'total bugs')"
else
	equals 'this kernel was built without KFENCE' '' "$(grep '^CONFIG_KFENCE=' "/boot/config-$(uname -r)")"
fi
