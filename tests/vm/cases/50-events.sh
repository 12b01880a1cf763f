# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# What else can be observed: caches, pages and frees; call sites alone; the collector itself.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

# Every pipe has two open files, an inode and a name, from caches of their own.
second_started kmem_cache_alloc kmem_cache_alloc_node
kmalloc-top --module /tmp/modules/kmt_all.ko "$every_event" --events=cache,free --only-command \
	-I create_pipe_files -e "$unrelated" -c 'workload pipe 300' > report 2> errors
status=$?
second_ended
is_complete 'caches'
holds 'caches: files, inodes, names' [ "$(report_count report)" -ge 600 ]
counts "caches: as $second_name counts the cache" "$(second_sum create_pipe_files count)" \
	"$(second_sum create_pipe_files bytes)"
has_line 'caches: frees are recorded' '^Frees: [1-9]' report

kmalloc-top --module /tmp/modules/kmt_all.ko "$every_event" --events=kmalloc,page --only-command \
	-I __alloc_pages,__alloc_frozen_pages -c 'workload pipe 300' > report 2> errors
status=$?
is_complete 'pages'
holds 'pages: whole ones' [ $(($(report_bytes report allocated) % 4096)) = 0 ]
holds 'pages: some' [ "$(report_count report)" -gt 0 ]

profile --events=cache -d 1
equals 'a module without them: exit status' 1 "$status"
has_line 'a module without them: the remedy' '--events=cache' errors

profile --stacks=none --only-command -I alloc_skb -c "workload unix-send 500 $SEND_BYTES"
is_complete 'call sites alone'
counts 'call sites alone' 500 $((500 * send_allocated))
equals 'call sites alone: one frame each' "$(report_stacks report)" "$(grep -c '^ 0x' report)"

profile --max-stack 3 --only-command -I alloc_skb -c "workload unix-send 500 $SEND_BYTES"
is_complete 'three frames'
counts 'three frames' 500 $((500 * send_allocated))
equals 'three frames: no more' $((3 * $(report_stacks report))) "$(grep -c '^ 0x' report)"
has_line 'three frames: says that callers may be missing' '^Cut at 3 frames: [1-9]' report

profile --details -d 1
has_line 'the collector is left out' 'own processes left out: [1-9]' report
profile --include-self -d 1
has_line 'the collector is included' '^Scope: .*own processes included' report

setpriv --reuid=nobody --regid=nogroup --clear-groups kmalloc-top --collector=stap -d 1 > report 2> errors
equals 'not root: exit status' 1 "$?"
equals 'not root: no report' '' "$(cat report)"
equals 'not root: one line' 1 "$(wc -l < errors)"
has_line 'not root: the remedy' 'sudo' errors
