# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 7.2
# The services run under systemd, with all restrictions of their units, and write what they are for. systemd is the
# first process of a PID namespace; all trees have it, for their kernels.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly units=/etc/systemd/system counters=/var/lib/prometheus/node-exporter/slabratetop.prom
readonly watch=/var/lib/slabstack/watch.kmr services=(slabstack-watch slabratetop-metrics)

# Of what belongs to the start of a host, the journal alone.
mkdir -p "$units" "${counters%/*}"
for unit in /usr/lib/systemd/system/sysinit.target.wants/*; do
	unit=${unit##*/}
	case $unit in
	systemd-journald.*) ;;
	*) ln -s -f /dev/null "$units/$unit" ;;
	esac
done
printf '[Unit]\nWants=%s\n' "${services[*]/%/.service}" > "$units/case.target"
unshare --pid --fork --kill-child --mount --mount-proc --cgroup sh -c '
	mount -t tmpfs tmpfs /run
	exec env -i container=guest PATH=/usr/sbin:/usr/bin /usr/lib/systemd/systemd --system --unit=case.target' \
	> console 2>&1 &
keeper=$!

# inside COMMAND…: where systemd runs.
inside()
{
	nsenter --target "$(pgrep -P "$keeper")" --mount --pid --cgroup --root --wd "$@"
}

are_active()
{
	inside systemctl --quiet is-active "${services[@]}" 2> /dev/null
}

# readings: the number of those in the file of the watch.
readings()
{
	slabstack -i "$watch" 2> /dev/null | sed -n -E 's/^Watch: ([0-9]+) readings? .*/\1/p'
}

has_readings()
{
	[ "$(($(readings)))" -ge "$1" ]
}

# As long as it takes systemd to begin, where it is emulated.
holds 'both services are active' wait_until 1800 are_active
holds 'the watch writes' wait_until 900 has_readings 1
holds 'there are counters' wait_until 900 test -s "$counters"
has_line 'counters have slab caches with names' '^slabratetop_allocations_total\{.*cache="[a-z]' "$counters"
before=$(readings)
inside systemctl restart slabstack-watch
holds 'the watch writes again after a restart' wait_until 900 has_readings "$((before + 1))"
inside journalctl --quiet --no-pager --unit=slabstack-watch > journal
has_line 'the journal has what it says' 'slabstack\[[0-9]+\]: slabstack: reads all slab caches' journal
inside systemctl show --property=NRestarts --value "${services[@]}" | sort -u | tr -d '\n' > restarts
equals 'neither was started again' 0 "$(cat restarts)"
inside systemctl stop "${services[@]}"
for service in "${services[@]}"; do
	equals "$service stops well" success "$(inside systemctl show --property=Result --value "$service")"
done
equals 'nothing beside what they write' "${watch##*/} ${counters##*/}" \
	"$(cd "${watch%/*}" && echo *) $(cd "${counters%/*}" && echo *)"
kill -9 "$(pgrep -P "$keeper")"
wait "$keeper" 2> /dev/null
tail -n 3 console
rm -r "$units"
