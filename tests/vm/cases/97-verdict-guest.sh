# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Who keeps memory, for leaks that need a module or tmpfs; 97-verdict-commands has the others that would harm a
# machine that is used. Each is judged alone from one recording. Their rates are such that what is emulated keeps up.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=verdict.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/verdict.sh"

insmod "$modules/vmtest_first.ko"
leak_starts 15 thread
leak_starts 45 tmpfs module worker
sleep 1.5
kmalloc-top --held --collector=perf "$every_event" --record leaks.kmr -d 10 -q \
	> recorded 2> errors
equals 'the recording ends well' 0 "$?"
leak_ends

suspects tmpfs process '(shmem_alloc_inode|shmem_get_inode|new_inode|d_alloc)'
suspects module module 'the module vmtest_first, called by leak-module\[.* through vmtest_keep'
suspects worker module 'the module vmtest_first, called by the kernel thread kworker.* through vmtest_keep' \
	'kworker' '--process=kworker*'
suspects thread kernel_thread '(copy_process|dup_task_struct|alloc_thread_stack_node)' \
	'the kernel thread kthreadd' --process=kthreadd

echo 1 > /sys/module/vmtest_first/parameters/release
rmmod vmtest_first
