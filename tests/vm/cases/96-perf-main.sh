# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: host
# The main job as it is typed, with nothing compiled or loaded.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

# It must have been read once, so that the command alone takes as long as under the program.
seconds()
{
	local began=$EPOCHREALTIME
	"$@" > printed 2> errors
	status=$?
	took=$(awk "BEGIN { print $EPOCHREALTIME - $began }")
}

# ran_well NAME: nothing was lost. On a slow machine --max-overhead may have taken fewer events, which is
# no failure.
ran_well()
{
	equals "$1: nothing lost" 'Lost: none' "$(tail -n 1 report)"
	equals "$1: exit status" 0 "$status"
}

seconds find /usr/include -type f
seconds find /usr/include -type f
alone=$took
sort printed > alone
collect_by perf
seconds kmalloc-top --collector=perf -m 10 -t 3 -e tcp_ -c 'find /usr/include -type f'
echo "the command alone takes $alone s, $took s with the program"
holds 'what the command prints is there' cmp alone <(grep '^/usr/include/' printed | sort)
grep -v '^/usr/include/' printed > report
ran_well 'the main job'
has_line 'the banner names the exclusion' '^Will exclude stacks containing: tcp_' report
equals 'three stacks' 3 "$(report_stacks report)"
# shellcheck disable=SC2016 # awk's
holds 'each at least ten times' awk '/^This path seen/ && $4 < 10 { exit 1 }' report
equals 'every frame has a symbol' '' "$(grep -E '^ 0x' report | grep -v -E ' : [A-Za-z_][A-Za-z0-9_.]*\+0x')"
has_line 'directories are read' ' : .*(getdents|iterate_dir|readdir)' report
equals 'the command ended well, so nothing is said' '' "$(grep '^Traced command: ' report)"

seconds kmalloc-top -m 10 -t 3 -e tcp_ -c 'find /usr/include -type f'
grep -v '^/usr/include/' printed > report
ran_well 'as it chooses'
has_line 'as it chooses: the collector is shown' '^kmalloc-top: collector: (perf events \(SystemTap: .*\)|SystemTap)$' errors

kmalloc-top --collector=perf -I msgsnd -c 'workload message 50' > report 2> errors
holds 'there are stacks of messages' [ "$(report_stacks report)" -gt 0 ]
kmalloc-top --collector=perf --details -e msgsnd -c 'workload message 50' > report 2> errors
holds 'excluded: no frame line has them' sh -c '! grep "^ 0x.* : .*msgsnd" report'
has_line 'excluded: what was dropped is shown' "^Dropped: [1-9][0-9,]* stacks? by -e 'msgsnd' " report

# The examples of the help texts, as they stand; those that would run on end after a second.
for tool in kmalloc-top slabstack; do
	"$tool" --help | sed -n '/^Examples:/,$s/^    //p' > examples
	holds "$tool: has three examples" [ "$(wc -l < examples)" = 3 ]
	while read -r line; do
		# Without a cache nothing is traced.
		collector=--collector=perf
		[ "$line" != slabstack ] || collector=
		sh -c "exec $line $collector -d 1" > printed 2> errors < /dev/null
		status=$?
		[ "$status" = 0 ] || cat errors
		holds "$line: runs" [ "$status" = 0 -o "$status" = 3 ]
	done < examples
done
