# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# Perf events that are sampled: loops that keep time with the period are estimated without bias. On the
# machine that builds others allocate meanwhile; there six pairs of a period and a loop of 3 to 7
# allocations are tried. And --max-overhead bounds what events cost that are not taken.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

collect_by perf
samples_evenly 3 open 60000 names_cache filp
samples_evenly 2 socketpair 30000 filp sock_inode_cache

# So many events take more of a CPU than is allowed, even if next to none of them is taken: that ends the
# run. So do those that a filter rejects.
workload -t 4 pipe 1000000000 > /dev/null &
busy=$!
profile --sample=100000 --max-overhead=1 --events=cache -d 60
equals 'not taken: exit status' 3 "$status"
has_line 'not taken: why it ended' '^Ended early: the probes alone took more than 1 % of CPU [0-9]+, .*--max-overhead' report
slabstack --collector=perf --max-overhead=1 -d 60 mm_struct > report 2> errors
equals 'rejected: exit status' 3 "$?"
has_line 'rejected: why it ended' '^Ended early: the probes alone took more than 1 % of CPU [0-9]+, .*--max-overhead' report
kill "$busy"

[ ! -d "$modules" ] || exit 0
samples_evenly 6 socketpair 30000 filp sock_inode_cache
samples_evenly 7 pipe 60000 filp dentry
samples_evenly 12 socketpair 30000 filp sock_inode_cache
samples_evenly 100 open 60000 names_cache filp
