# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Modules: what was compiled before is found, what does not fit is refused.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

kmalloc-top --collector=stap -v "$every_event" "${only_pipes[@]}" -c 'workload pipe 100' > report 2> errors
status=$?
is_complete 'from the cache'
equals 'from the cache: counted' 200 "$(report_count report)"
has_line 'from the cache: not compiled again' 'was compiled before' errors

head -c 5000 "$module" > cut.ko
kmalloc-top --module cut.ko -d 1 > report 2> errors
equals 'a damaged module: exit status' 1 "$?"
equals 'a damaged module: no report' '' "$(cat report)"
holds 'a damaged module: one line says so' [ "$(wc -l < errors)" = 1 ]

mkdir other
sed -E 's/vermagic=[0-9]/vermagic=9/' "$module" > other/kmt_vm.ko
kmalloc-top --module other/kmt_vm.ko -d 1 > report 2> errors
equals "another kernel's module: exit status" 1 "$?"
has_line "another kernel's module: names this kernel" "$(uname -r | sed 's/[.+]/\\&/g')" errors
