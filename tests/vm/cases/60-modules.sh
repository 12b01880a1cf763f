# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# Kernel modules that come and go during a recording keep their names, also where the second is loaded
# to the address that the first had.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

work=300
rounds=0

# The module list is read twice a second, which is slow here: what comes is seen, and what goes.
is_seen()
{
	sleep 2
}

# loaded_for_work NAME: leaves the module's $address.
loaded_for_work()
{
	insmod "/tmp/modules/$1.ko" || return
	address=$(awk -v name="$1" '$1 == name { print $6 }' /proc/modules)
	is_seen
	echo "$work" > "/sys/module/$1/parameters/task"
	is_seen
	rmmod "$1"
	is_seen
}

# What is freed of a module is free again only after another one was loaded.
another_module()
{
	modprobe dummy && is_seen && rmmod dummy && is_seen
}

readonly only_ours=(-I vmtest_allocate -e "$unrelated")
profile_started --record modules.kmr "${only_ours[@]}" -O modules.report
first_address=none address=''
while [ "$first_address" != "$address" ] && [ "$rounds" -lt 6 ]; do
	rounds=$((rounds + 1))
	loaded_for_work vmtest_first
	first_address=$address
	another_module
	loaded_for_work vmtest_second
	another_module
done
profile_ended INT
cp modules.report report
is_complete 'modules come and go'
equals 'the second was loaded where the first had been' "$first_address" "$address"
equals 'modules come and go: all of their allocations' $((2 * rounds * work)) "$(report_count report)"
for name in first second; do
	kmalloc-top -i modules.kmr -I "[vmtest_$name]" -e "$unrelated" > "$name"
	equals "the $name keeps its name" $((rounds * work)) "$(report_count "$name")"
	has_line "the $name keeps its functions" \
		"^ 0x[0-9a-f]+ : vmtest_allocate\+0x[0-9a-f]+/0x[0-9a-f]+ \[vmtest_$name\]" "$name"
done
echo "${only_ours[*]}" > modules.arguments
cp modules.* "$recordings/"
