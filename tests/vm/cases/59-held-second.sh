# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# A second opinion on what is held: a bpftrace script that pairs allocations with frees by their address.
# It sees what the tracepoints show, so objects that are freed by RCU or in bulk look held to it.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=held.sh source-path=SCRIPTDIR
. /tmp/cases/held.sh

cat > pairing.bt <<-'SCRIPT'
	tracepoint:kmem:kmalloc, tracepoint:kmem:kmem_cache_alloc /args.ptr != 0/
	{
		@live[args.ptr] = (comm, args.call_site);
	}
	tracepoint:kmem:kfree, tracepoint:kmem:kmem_cache_free
	{
		delete(@live, args.ptr);
	}
	END
	{
		for ($object : @live) {
			@held[$object.1.0, ksym($object.1.1)] = count();
		}
		clear(@live);
	}
SCRIPT

# second_held: a line "FUNCTION COUNT" for each function that allocated what the workload holds, by bpftrace.
second_held()
{
	sed -n -E 's/^@held\[workload, ([^]+]+)[^]]*\]: ([0-9]+)$/\1 \2/p' second | add_up
}

# first_held: the same of ours. The first frames are the functions of the tracepoint and the allocator.
first_held()
{
	awk -F '\t' '$1 == "held" && $4 == "workload" {
		n = split($6, frames, "<")
		for (i = 1; i < n && frames[i] ~ /^(__traceiter|kmem_cache_alloc|__?kmalloc)/; i++)
			;
		print frames[i], $5 }' counted | add_up
}

# add_up: the numbers of each name, of those with many.
add_up()
{
	awk '{ all[$1] += $2 } END { for (name in all) if (all[name] >= 100) print name, all[name] }' | sort
}

mkfifo go
exec {go}<> go
BPFTRACE_MAX_MAP_KEYS=1000000 bpftrace pairing.bt > second 2> second.errors &
second=$!
wait_until 600 grep -q -i attach second.errors second
sleep 3
profile_started "${held[@]}" --record second.kmr
workload open 6000
workload keep-sockets 700 < go > said &
workload=$!
wait_until 600 test -s said
profile_ended INT
kill -INT "$second"
wait "$second"
echo >&"$go"
wait "$workload"

count_held second.kmr
pairs_all 'bpftrace'
has_line 'bpftrace: it saw the sockets' '^sock_alloc_inode 1400$' <(second_held)
equals 'bpftrace: the workload holds the same' "$(second_held)" "$(first_held)"
holds "bpftrace: $(grep -c '^@held' second) rows, without a lost object" \
	sh -c "! grep -q -i -E 'lost|full|error' second.errors"
