# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# A kmalloc above two pages is one allocation, in whichever way it is made, though kernels from 6.11 on
# trace some of them twice. The second opinion is the module's that makes them: another tracer counts
# what the kernel traces.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly rounds=320 parameter=/sys/module/vmtest_first/parameters/large
readonly only_large=(-I vmtest_large_ -e "$unrelated,__vmalloc")
readonly by_caller=(--by=callsite --callsite-skip=default)
readonly work=(-- sh -c "echo $rounds > $parameter")

# made: lines "FUNCTION ALLOCATIONS BYTES" of what the module says; made_failed: how many failed.
made()
{
	awk '{ count[$1] += $2; bytes[$1] += $3 }
		END { for (name in count) if (count[name]) print name, count[name], bytes[name] }' \
		"$parameter" | sort
}

made_failed()
{
	awk '{ failed += $4 } END { print failed }' "$parameter"
}

# shown: the same lines of a table of call sites.
shown()
{
	tr -d , < report | awk 'NF > 5 && $(NF - 1) ~ /^vmtest_large_/ { print $(NF - 1), $1, $3 }' | sort
}

# Before 6.1 the call site of a large kmalloc is in __kmalloc() itself.
has_call_sites_of_callers()
{
	grep -q ' __kmalloc_large_node' /proc/kallsyms
}

# Those whose call site is the caller's on every other kernel.
of_caller()
{
	grep -v -e grown -e kvmalloc
}

# as_made NAME: ./report has what the module made.
as_made()
{
	is_complete "$1"
	equals "$1: the allocations and bytes of each function" "$(made)" "$(shown)"
	equals "$1: what failed" "$(made_failed)" \
		"$(sed -n 's/^Failed allocations (NULL), not counted above: //p' report | tr -d ,)"
}

# large_by perf|MODULE
large_by()
{
	local name="by $1" file=large-$1 all count
	collect_by "$1"
	profile --record "$file.kmr" -O "$file.report" --only-command "${by_caller[@]}" "${only_large[@]}" \
		"${work[@]}"
	cp "$file.report" report
	as_made "$name"
	echo "${by_caller[*]} ${only_large[*]}" > "$file.arguments"
	mv "$file".* "$recordings/"

	profile --only-command --stacks=none --by=callsite "${work[@]}"
	is_complete "$name, call sites alone"
	has_call_sites_of_callers &&
		equals "$name, call sites alone: the allocations and bytes of each function" \
			"$(made | of_caller)" "$(shown | of_caller)"

	profile --only-command --sample=3 "${only_large[@]}" "${work[@]}"
	is_complete "$name, sampled"
	all=$(made | awk '{ sum += $2 } END { print sum }')
	count=$(report_count report)
	holds "$name, sampled: $count is about $all" \
		test $((100 * count)) -ge $((85 * all)) -a $((100 * count)) -le $((115 * all))
}

insmod /tmp/modules/vmtest_first.ko
large_by kmt_vm
large_by perf
rmmod vmtest_first
