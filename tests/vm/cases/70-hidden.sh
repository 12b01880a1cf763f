# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 5.10-stap5.6
# Kernel addresses that nobody may see: reported at the start, with the remedy, and counted all the same.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

before=$(cat /proc/sys/kernel/kptr_restrict)
echo 2 > /proc/sys/kernel/kptr_restrict
profile --only-command -c 'workload readv 20'
cp report report.large
profile --only-command -c 'workload pipe 500'
after=$(cat /proc/sys/kernel/kptr_restrict)
echo "$before" > /proc/sys/kernel/kptr_restrict
# staprun lowers it.
equals 'kptr_restrict=2: the host keeps its setting' 2 "$after"
is_complete 'kptr_restrict=2'
has_line 'kptr_restrict=2: reported at the start' 'sysctl kernel.kptr_restrict=1' <(head -n 2 errors)
holds 'kptr_restrict=2: counted' [ "$(report_count report)" -ge 1000 ]
has_line 'kptr_restrict=2: the report says it, too' 'kptr_restrict|hid' report

# Kernels from 6.11 on trace a large kmalloc twice, which only the symbols would show.
equals 'kptr_restrict=2: that some may be counted twice is said where it is so' \
	"$(uname -r | awk -F '[.-]' '{ print ($1 > 6 || ($1 == 6 && $2 >= 11)) + 0 }')" \
	"$(grep -c '^Large kmallocs: those above 8,192 bytes may be counted twice' report.large)"
