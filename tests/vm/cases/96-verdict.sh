# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# long
# Who keeps memory, in a sentence: processes that leak in twelve known ways at once, each judged alone from
# one recording, and six that keep nothing that could be called a leak. The next command that a verdict names
# works, and a report without a choice names one of the twelve.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=verdict.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/verdict.sh"

rate=100
# What is emulated is slow.
[ ! -d "$modules" ] || rate=40
readonly rate

leak_starts "$rate" socket tcp netlink epoll pipe file eventfd timerfd mapping message zombie queue \
	churn ring names write free exec
sleep 1.5
kmalloc-top --held --collector=perf "$every_event" "${room_for_events[@]}" --max-loss=5 --record leaks.kmr -d 10 -q > recorded 2> errors
status=$?
leak_ends
equals "the recording ends well" 0 "$status"

suspects socket process unix_create1
suspects tcp process inet_create
suspects netlink process netlink_create
suspects epoll process '(do_epoll_create|ep_alloc|alloc_file|alloc_empty_file)'
suspects pipe process '(alloc_pipe_info|create_pipe_files|get_pipe_inode)'
suspects file process '(alloc_empty_file|path_openat)'
suspects eventfd process '(eventfd|alloc_file|alloc_empty_file|anon_inode)'
suspects timerfd process '(timerfd|alloc_file|alloc_empty_file|anon_inode)'
suspects mapping process '(vm_area_alloc|mmap_region)'
suspects message process '(load_msg|alloc_msg)'
suspects zombie process '(copy_process|dup_task_struct|kernel_clone|_do_fork)'
suspects queue many_processes '(newque|ipcget)'

for kind in churn ring names write free exec; do
	verdict leaks.kmr --process="leak-$kind"
	equals "$kind: nobody is suspected: $(sed -n 3p verdict)" false "$(sed -n 2p verdict)"
done

kmalloc-top --held -i leaks.kmr -q -t 1 > report 2> errors
has_line "without a choice, the verdict comes first and names a leak" '^Verdict: leak-' report
equals "... before everything else" 1 "$(grep -n -m 1 '^Verdict: ' report | cut -d : -f 1)"

verdict leaks.kmr --process=leak-socket
leak_starts "$rate" socket
sleep 1
next=$(sed -n 4p verdict | sed -E "s/-p [0-9]+ /-p $(pid_of leak-socket) /; s/-d 10/-d 2/")
eval "$next -q" > report 2> errors
equals "the next command works: $next" 0 "$?"
has_line "... and shows the code of the program" 'sk_prot_alloc' report
slabstack -d 4 -q > report 2> errors
has_line "the overview names a cache of sockets" '^Next: +slabstack --held' report
leak_ends
have_ended()
{
	[ -z "$(pid_of 'leak-.*')" ]
}
holds 'the leaks end' wait_until 100 have_ended
