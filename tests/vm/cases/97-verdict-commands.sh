# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# The first two commands of README.md lead from memory that is gone to who has it: the overview names the second
# one, which names the process or the module. So for each kind of leak in README.md's table.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=verdict.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/verdict.sh"

readonly cgroups=/sys/fs/cgroup
insmod "$modules/vmtest_first.ko"
echo +memory > "$cgroups/cgroup.subtree_control"
mkdir "$cgroups/memory_leak"
echo +memory > "$cgroups/memory_leak/cgroup.subtree_control"

# leads KIND RATE NEXT WHO: the overview names the command NEXT, whose verdict says WHO.
leads()
{
	local next
	leak_starts "$2" "$1"
	slabstack -d 3 -q > report 2> errors
	next=$(sed -n 's/^Next: *//p' report)
	has_line "$1: the overview names the next command: $(said)" "^$3\$" <(echo "$next")
	# What is emulated is slow, so the share of a CPU has no limit.
	eval "$next $every_event" > report 2> errors
	equals "$1: that works: $next" 0 "$?"
	has_line "$1: it says who: $(said)" "$4" <(said)
	leak_ends
}

# The cache of Unix sockets may be merged with others.
leads socket 40 'slabstack --held (PING|signal_cache|UNIX|UNIX-STREAM|sock_inode_cache) -d 10' 'leak-socket\[.* keeps memory in '
leads pages 250 'kmalloc-top --held --events=page -d 10' 'leak-pages\[.* through (anon_)?pipe_write'
leads cgroup 16 'slabstack --held (kernfs_node_cache|kmalloc-[^ ]*) -d 10' 'leak-cgroup leave memory behind'
leads module 200 'slabstack --held kmalloc-512 -d 10' 'the module vmtest_first, called by leak-module\['
leads names 300 'slabstack --held dentry -d 10' 'no suspect\. .* that the kernel takes back .* leak-names\[.* in dentry'

echo 1 > /sys/module/vmtest_first/parameters/release
rmmod vmtest_first
rmdir "$cgroups/memory_leak"
