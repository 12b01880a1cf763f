#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases share. A case runs in the build folder; its files are in $REACH_WORK, which is removed
# afterwards. Servers listen on 127.0.0.1 only, at free ports, and end with the case.
set -u
export LC_ALL=C TZ=UTC
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
TOP=$(readlink -f "$HERE/../..")
WORK=$REACH_WORK
export HERE TOP WORK
started=()

# The program or the fixture of this build.
ours() { "./$1" "${@:2}"; }
fixture() { tests/cli/make_fixture "$@"; }

# start NAME CMD...: runs a server until the case ends. Its output is in $WORK/NAME.log.
start() {
  "${@:2}" >"$WORK/$1.log" 2>&1 &
  started+=($!)
}

stop_all() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null; done
}
trap stop_all EXIT

# free_port: prints a port of this host that nobody uses now.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_for SECONDS CMD...: repeats a command until it succeeds. Fails if it never does.
wait_for() {
  local until=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$until" ] || return 1
    sleep 0.2
  done
}

# verdict STATEMENT CMD...: "ok" if the command succeeds; else "not ok", and what it printed.
verdict() {
  local statement=$1
  shift
  if "$@" >"$WORK/verdict" 2>&1; then
    echo "ok $statement"
  else
    echo "not ok $statement"
    tail -n 15 "$WORK/verdict" | sed 's/^/  /'
  fi
}
