# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# Perf events that are sampled: loops that keep time with the period are estimated without bias. On the
# machine that builds others allocate meanwhile; there six pairs of a period and a loop of 3 to 7
# allocations are tried.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

collect_by perf
samples_evenly 3 open 60000 names_cache filp
samples_evenly 2 socketpair 30000 filp sock_inode_cache
[ ! -d "$modules" ] || exit 0
samples_evenly 6 socketpair 30000 filp sock_inode_cache
samples_evenly 7 pipe 60000 filp dentry
samples_evenly 12 socketpair 30000 filp sock_inode_cache
samples_evenly 100 open 60000 names_cache filp
