# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# A host that boots is no suspect: right after the boot of the guest, while services start and modules are loaded.
# It is the first case.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=verdict.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/verdict.sh"

services=()

# start MODULE…: for each of these also two services, which stay.
start()
{
	local name
	for name; do
		modprobe "$name"
		sleep 120 &
		services+=($!)
		sh -c 'while :; do sleep 1; done' &
		services+=($!)
	done
}

holds 'this is the first case' [ "$(cut -d . -f 1 /proc/uptime)" -lt 120 ]
slabstack -d 5 -q > report 2> errors
equals 'the overview: exit status' 0 "$?"
has_line "the overview: $(said)" '^no suspect\. ' <(said)

kmalloc-top --held --collector=perf "$every_event" --record boot.kmr -d 10 -q > recorded 2> errors &
program=$!
sleep 2
start loop fuse bridge xfs
wait "$program"
equals 'what is held: exit status' 0 "$?"
verdict boot.kmr
equals "what is held: nobody is suspected: $(sed -n 3p verdict)" false "$(sed -n 2p verdict)"
kmalloc-top --held -i boot.kmr -q -t 1 > report 2> errors
holds 'what is held: the start of services was seen' [ "$(report_count report)" -gt 0 ]
kill "${services[@]}"
