# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# What the caller's environment and other users have prepared changes nothing that root executes or
# writes.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

cache=/var/cache/kmalloc-top
mkdir fake
for name in stap staprun stapio modprobe gcc make id; do
	# shellcheck disable=SC2016 # for the shell that must not run
	printf '#!/bin/sh\necho "$0 $*" >> %s/executed\nexit 1\n' "$PWD" > "fake/$name"
	chmod 755 "fake/$name"
done

# hostile COMMAND…: becomes it, in an environment that points to ./fake wherever a variable can.
hostile()
{
	exec env PATH="$PWD/fake:$PATH" HOME="$PWD/fake" TMPDIR="$PWD/fake" XDG_CACHE_HOME="$PWD/fake" \
		XDG_DATA_DIRS="$PWD/fake" SYSTEMTAP_DIR="$PWD/fake" SYSTEMTAP_STAP="$PWD/fake/stap" \
		SYSTEMTAP_STAPRUN="$PWD/fake/staprun" SYSTEMTAP_STAPIO="$PWD/fake/stapio" \
		SYSTEMTAP_TAPSET="$PWD/fake" SYSTEMTAP_RUNTIME="$PWD/fake" SYSTEMTAP_COLORS='fake=1' \
		SYSTEMTAP_DEBUGINFO_PATH="$PWD/fake" SYSTEMTAP_SYNC=1 STAP_LANGUAGE_SERVER=1 \
		LD_LIBRARY_PATH="$PWD/fake" DEBUGINFOD_URLS=http://127.0.0.1:9 GIO_EXTRA_MODULES="$PWD/fake" \
		MODPROBE_OPTIONS='-n' LC_ALL=tr_TR.UTF-8 IFS=/ ENV="$PWD/fake/stap" "$@"
}

entries=$(find "$cache" -type f | sort | xargs md5sum)
(hostile "$(command -v kmalloc-top)" --collector=stap "$every_event" "${only_pipes[@]}" -c 'workload pipe 200') \
	> report 2> errors
status=$?
is_complete 'an environment that points elsewhere'
equals 'an environment that points elsewhere: counted' 400 "$(report_count report)"
equals 'an environment that points elsewhere: nothing of it was executed' '' \
	"$(cat executed 2> /dev/null)"
equals 'an environment that points elsewhere: nothing was written there' 7 "$(find fake -type f | wc -l)"
equals 'the cache has what it had' "$entries" "$(find "$cache" -type f | sort | xargs md5sum)"

# What root executes has none of these variables.
rm -f errors
hostile env --default-signal=INT "$(command -v kmalloc-top)" --module "$module" "$every_event" -v \
	"${only_pipes[@]}" > report 2> errors &
program=$!
wait_for_probes
tr '\0' '\n' < "/proc/$(pgrep -x stapio)/environ" > environment
has_line "the reader's environment is ours" '^PATH=/usr/sbin:/usr/bin:/sbin:/bin$' environment
equals "the reader's environment has nothing of the caller's" '' \
	"$(grep -E 'fake|^(LD_|DEBUGINFOD|MODPROBE|IFS|ENV|HOME)' environment)"
profile_ended INT
is_complete 'the reader is let alone'

# planted NAME OPTION FILE LINK: a symbolic link at LINK, where OPTION FILE writes first.
planted()
{
	echo precious > victim
	chmod 600 victim
	ln -s victim "$4"
	profile "$2" "$3" -d 0.2
	equals "$1: what it points to is as it was" precious "$(cat victim)"
	rm -f "$3" "$3.part"
}

planted 'a link at the recording' --record planted.kmr planted.kmr
equals 'a link at the recording: is refused' 2 "$status"
planted 'a link where the recording is written' --record planted.kmr planted.kmr.part
planted 'a link where the report is written' -O planted.txt planted.txt.part
planted 'a link at the report' -O planted.txt planted.txt

SUDO_UID=65534 SUDO_GID=65534 profile --record sudo.kmr -d 0.2
equals "a recording under sudo is the caller's alone" '65534 600' "$(stat -c '%u %a' sudo.kmr)"

# The kernel knows that nobody else logged in, where it knows logins (CONFIG_AUDIT).
if [ -e /proc/self/loginuid ]; then
	(echo 0 > /proc/self/loginuid; SUDO_UID=65534 SUDO_GID=65534 profile --record root.kmr -d 0.2)
	equals "a recording of root with a user's SUDO_UID is root's" '0 600' "$(stat -c '%u %a' root.kmr)"
fi

# A file that reaches its largest size ends the recording, not the report.
(ulimit -f 8; exec kmalloc-top --record small.kmr -t 1 -d 2 > /dev/null 2> errors)
equals 'a recording that may not grow: exit status' 3 "$?"
has_line 'a recording that may not grow: why' 'File too large' errors

# A user who can write to the folder could make the kernel load anything.
chmod 777 "$cache"
kmalloc-top --collector=stap -d 1 > report 2> errors
equals 'a cache that others can write: exit status' 1 "$?"
equals 'a cache that others can write: no report' '' "$(cat report)"
has_line 'a cache that others can write: the remedy' "$cache is not a private folder of this user" errors
chmod 700 "$cache"
