# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12-s390x
# The unit tests on other machines, where they run without Criterion: build-in-tree builds them with
# tests/vm/small_criterion.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly built=/usr/lib/kmalloc-top
folder=$(cat "$built/unit.folder")
tar -C / -x -f "$built/unit.tar"

(cd "$folder" && exec tests/unit/unit 300) > unit.log 2>&1
# What these measure is the time of a CPU, which an emulated one does not have.
emulated='^(perf_cost/|point_cost/every_kind|stap_run/(a_stapio_that_grows|batches_of_the_program))'
# On s390x, QEMU 7.2 sends a signal to a program that meets a breakpoint; QEMU 10.0 does not.
[ "$(uname -m)" != s390x ] || emulated+='|^point_programs/arguments_and_results'
failed=$(sed -n 's/^\[FAIL\] //p' unit.log)
equals 'no test fails' '' "$(grep -v -E "$emulated" <<< "$failed" | paste -s -d ' ')"
grep -E "$emulated" <<< "$failed" | sed 's/^/not judged: /'
tested=$(sed -n -E 's/^\[====\] Synthesis: Tested: ([0-9]+) .*/\1/p' unit.log)
holds "all of them run, $tested" [ "${tested:-0}" -gt 1400 ]
sed -n 's/^\[====\] //p' unit.log
