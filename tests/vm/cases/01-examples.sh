# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12-s390x
# Recordings of other kernels and machines: check-vm compares these reports with those of its host.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

readonly examples=/usr/share/doc/kmalloc-top/examples

# reported NAME EXAMPLE ARGUMENTS: leaves what 40-record.sh leaves.
reported()
{
	cp "$examples/$2.kmr" "$recordings/$1.kmr"
	echo "$3" > "$recordings/$1.arguments"
	# shellcheck disable=SC2086 # words
	kmalloc-top -i "$recordings/$1.kmr" $3 > "$recordings/$1.report" 2> errors
	equals "$1: exit status" 0 "$?"
	equals "$1: no errors" '' "$(cat errors)"
}

reported example-stacks mixed '--details --sort=bytes -t 20'
reported example-caches mixed '--by=cache,process'
reported example-json mixed '--format=json'
reported example-pprof mixed '--format=pprof'
reported example-html growth '--format=html -t 20'
reported example-growth growth '--info'
