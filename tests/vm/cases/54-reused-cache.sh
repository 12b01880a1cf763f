# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 5.10-stap5.6
# A slab cache at the address of one that was destroyed has its own name.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=caches.sh source-path=SCRIPTDIR
. /tmp/cases/caches.sh

readonly caches=20
readonly parameter=/sys/module/vmtest_first/parameters/cache

# The pause is longer than a batch may wait: in each one names are read anew.
make_caches()
{
	local i
	for ((i = 1; i <= caches; i++)); do
		echo "vmtest_$i" > "$parameter"
		sleep 0.4
	done
}
export -f make_caches
export caches parameter

# counted: lines "NUMBER COUNT" of the caches that the module made.
counted()
{
	"$counts" caches.kmr | awk -F '\t' '
		$1 == "alloc" && $2 == "cache" && sub(/^vmtest_/, "", $4) { sum[$4] += $7 }
		END { for (name in sum) print name, sum[name] }' | sort -n
}

insmod /tmp/modules/vmtest_first.ko
kmalloc-top --module "$modules/kmt_all.ko" "$every_event" --events=cache --format=text --record caches.kmr \
	-- bash -c make_caches > report 2> errors
status=$?
equals 'each cache has its name and its objects' "$(seq -f '%g 100' "$caches")" "$(counted)"
is_complete 'each cache'
holds 'some were where another one had been' [ "$(cat "$parameter")" -ge 3 ]
rmmod vmtest_first
