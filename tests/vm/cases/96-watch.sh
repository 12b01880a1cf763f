# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# long
# A watch finds what grows, records it, says so in one line, and goes on; it continues its file after a kill, and
# ends at once. It does not tell of an idle host.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/lib.sh"

# leak SECONDS: 1,000 sockets a second, which stay until its end.
leak()
{
	local end=$((SECONDS + $1))
	mkfifo never
	exec 9<> never
	while [ "$SECONDS" -lt "$end" ]; do
		workload keep-sockets 100 <&9 > /dev/null &
		sleep 0.2
	done
	wait_until 900 told
	# shellcheck disable=SC2046 # some pids
	kill $(jobs -p)
}

told()
{
	grep -q 'grows by' errors
}

# readings FILE: how many it has.
readings()
{
	slabstack -i "$1" | sed -n -E '1s/^Watch: ([0-9,]+) reading.*/\1/p' | tr -d ,
}

slabstack --watch=1 --record=watch.kmr 2> errors &
watch=$!
wait_until 600 grep -qs 'which has 0 readings' errors
has_readings()
{
	[ "$(readings watch.kmr 2> /dev/null || echo 0)" -ge 3 ]
}
wait_until 200 has_readings
kill -KILL "$watch"
wait "$watch" 2> /dev/null
before=$(readings watch.kmr)
holds "a killed watch leaves its readings: $before" [ "$before" -ge 3 ]

slabstack --watch=2 --record=watch.kmr 2> errors &
watch=$!
(leak 40) 2> /dev/null
holds "a leak of sockets is told of" told
equals "the watch goes on" 0 "$(kill -0 "$watch"; echo $?)"
sed 's/^/# /' errors
# On the machine that builds, others may hold more of that cache.
holds "one line says what grows, who holds it, and where to look" \
	grep -q -E '^slabstack: [^ ]+ grows by .* since 20.*; .*; see slabstack --held -i watch-.*\.kmr$' errors
recording=$(sed -n -E 's/.*see slabstack --held -i //p' errors | head -n 1)
slabstack --held -i "$recording" -q > report 2>> errors
holds "the recording has who holds them" grep -q '^workload:' report
kill -TERM "$watch"
wait "$watch"
equals "SIGTERM ends it" 0 "$?"
holds "it continued the file: $(readings watch.kmr)" [ "$(readings watch.kmr)" -gt "$((before + 5))" ]
equals "nothing is left behind" '' "$(find . -name '*.part')"
