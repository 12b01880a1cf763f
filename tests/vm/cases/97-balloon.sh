# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# What a balloon takes for the hypervisor is shown as that, and never called a leak: whether the driver leaves its
# pages in MemTotal, as it does if they may be given back when memory runs short, or not. The second serial port of
# the guest is QEMU's monitor, which fills the balloon.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=verdict.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/verdict.sh"

readonly monitor=/dev/ttyS1 mib=300 guest_mib=2560

# Nobody reads what it answers; an empty line ends what it may have got before.
stty -F "$monitor" raw -echo
exec {commands}> "$monitor"

order()
{
	printf '\n%s\n' "$*" >&"$commands"
}

is_plugged_in()
{
	compgen -G '/sys/bus/virtio/drivers/virtio_balloon/virtio*' > /dev/null
}

is_gone()
{
	! is_plugged_in
}

# balloon_is MIB: it has that size.
balloon_is()
{
	[ "$1" = "$(awk -v page="$(getconf PAGESIZE)" '$1 == "balloon_inflate" { pages += $2 }
		$1 == "balloon_deflate" { pages -= $2 } END { print pages * page / 1048576 }' /proc/vmstat)" ]
}

# plug_in on|off: whether the pages may be given back when memory runs short.
plug_in()
{
	order "device_add virtio-balloon-pci,id=balloon,bus=hot,deflate-on-oom=$1"
	modprobe virtio_balloon
	holds "$1: there is a balloon" wait_until 300 is_plugged_in
}

pull_out()
{
	order device_del balloon
	holds "$1: the balloon is gone" wait_until 300 is_gone
	holds "$1: its memory is back" wait_until 300 balloon_is 0
}

# overview NAME: while the balloon is filled; leaves ./report.
overview()
{
	local program
	env --default-signal=INT slabstack -d 120 > report 2> errors &
	program=$!
	# Its first reading is over when it waits.
	wait_until 50 grep -q -s sigtimedwait "/proc/$program/wchan"
	order balloon $((guest_mib - mib))
	holds "$1: the balloon is filled" wait_until 600 balloon_is "$mib"
	sleep 0.5
	kill -INT "$program"
	wait "$program"
	has_line "$1: the verdict: $(said)" \
		"^no suspect in the kernel\. The hypervisor took memory back, by a balloon: \+$mib MiB in " <(said)
}

plug_in on
overview on
has_line 'on: it is a part of all memory' "^balloon +$mib MiB " report
(
	for step in 1 2 3 4 5 6 7 8 9 10 11; do
		sleep 1
		order balloon $((guest_mib - mib - 8 * step))
	done
) &
kmalloc-top --held --events=page "$every_event" --record balloon.kmr -d 10 -q > recorded 2> errors
wait "$!"
verdict balloon.kmr
equals 'on: pages that it takes all the time: the rule' 'programs false' \
	"$(sed -n '1p' verdict) $(sed -n '2p' verdict)"
has_line "on: ... and the verdict: $(sed -n 3p verdict)" \
	'^no suspect in the kernel\. The hypervisor takes memory back: the kernel thread kworker' verdict
pull_out on

plug_in off
overview off
has_line 'off: it stands beside all memory' "^Memory .*, in a balloon $mib MiB \(.*/s\), reserved at boot " report
equals 'off: and is no part of it' '' "$(grep '^balloon ' report)"
pull_out off
rmmod virtio_balloon
