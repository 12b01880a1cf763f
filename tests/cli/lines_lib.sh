#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the checks of source lines share: objects that are built of lines/, what elfutils finds in them, and
# recordings whose kernel, module and program are such objects. They work in a folder of their own.
set -u

top=$(cd "${srcdir:-.}" && pwd)
build=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC
unset DEBUGINFOD_URLS
passed=0 failed=0

for tool in gcc eu-addr2line addr2line readelf objcopy; do
  command -v "$tool" >/dev/null || { echo "SKIP: there is no $tool"; exit 77; }
done
has() { command -v "$1" >/dev/null; }
skip() { echo "skipped: $1"; }

# check NAME STATUS: the check passed if the status is 0.
check() {
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $1"
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ $failed = 0 ] && [ $passed -gt 10 ]
  exit
}

# The sources are not where they are compiled, as those of a kernel. All users may read them.
chmod 755 "$work"
mkdir -p "$work/tree/out"
cp -r "$top"/tests/cli/lines/* "$work/tree/"
chmod -R u+w "$work/tree"
cd "$work/tree/out" || exit 99
readonly sources=(../fs/pipe.c ../mm/ring.c)
# shellcheck disable=SC2034
compile=(-O2 -I../include "-Wl,--build-id=sha1")

# Objects.

is_relocatable() {
  readelf -hW "$1" 2>/dev/null | grep -qE 'Type: +REL'
}

# make_object NAME COMMAND...: whether it could be made. Says why not.
make_object() {
  local name=$1
  shift
  "$@" >log 2>&1 && return 0
  check "$name is made: $(tail -n 2 log)" 1
  return 1
}

# split FILE DEBUG: the debug data, without the code.
split() { objcopy --only-keep-debug "$1" "$2"; }

# make_pair NAME FILE COMMAND...: FILE without .debug_aranges, and FILE.twin with it.
make_pair() {
  local name=$1 file=$2
  shift 2
  make_object "$name" "$@" -o "$file" && make_object "$name" "$@" -gdwarf-aranges -o "$file.twin" &&
    ! readelf -SW "$file" | grep -qF .debug_aranges
}

# s390x_link LINK-OPTIONS COMPILE-OPTION... -o FILE: an object of the other byte order.
s390x_link() {
  local link=$1 unit units=()
  shift
  for unit in "${sources[@]}"; do
    units+=("${*: -1}.$(basename "$unit").o")
    clang --target=s390x-linux-gnu -O2 -I../include "${@:1:$#-2}" -c "$unit" -o "${units[-1]}" ||
      return
  done
  # shellcheck disable=SC2086
  s390x-linux-gnu-ld --build-id=sha1 $link "${units[@]}" -o "${*: -1}"
}

# What other tools find.

# One address a line, " FUNCTION@FILE:LINE ...", the innermost function first, of the output of
# "-a -i -f" of each tool. They only write differently: columns, discriminators and remarks about
# inlining are left out, a folder and ".." in paths as well. A symbol without debug data is nothing,
# because it comes from the symbol table.
cat >"$work/normalise.awk" <<'EOF'
function simple(path) {
  gsub(/\/(\.\/)+/, "/", path)
  while (match(path, /\/[^\/]+\/\.\.\//))
    path = substr(path, 1, RSTART) substr(path, RSTART + RLENGTH)
  return path
}
function flush() {
  if (seen)
    print frames ~ /^ [^ ]*@\?\?:0$/ ? " ??@??:0" : frames
  frames = ""
}
/^0x[0-9a-f]+$/ { flush(); seen = 1; next }
{
  name = $1
  getline
  sub(/ \(discriminator [0-9]+\)$/, "")
  sub(/:\?$/, ":0")
  if ($0 ~ /:[0-9]+:[0-9]+$/)
    sub(/:[0-9]+$/, "")
  gsub(/ /, "_")
  frames = frames " " name "@" simple($0)
}
END { flush() }
EOF

# lines_of, elfutils and GNU: FILE SECTION (empty: places are addresses) < PLACES.
ours() { "$build/tests/cli/lines_of" "$1" ${2:+"$2"}; }
elfutils() { eu-addr2line -a -i -f ${2:+-j "$2"} -e "$1"; }
gnu() { "${gnu_addr2line:-addr2line}" -a -i -f ${2:+-j "$2"} -e "$1"; }

# Recordings.

# A recording in which each call in some files was made once: what it says of a kernel (first) and a
# module goes to a folder, and so do the lines that elfutils finds: "wanted".

build_id_of() { readelf -nW "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1; }

# plus ADDRESS NUMBER: bash calculates with 64 bits.
plus() { printf '%x' $((0x$1 + $2)); }

# calls_of FILE: "SECTION ADDRESS" of the instruction after each call.
calls_of() {
  local section at bytes
  "${objdump:-objdump}" -d "$1" | awk -F'\t' '
    /^Disassembly of section/ { split($0, words, /[ :]/); section = words[4] }
    $3 ~ /^(call|brasl)/ { sub(/:/, "", $1); print section, $1, split($2, bytes, " ") }' |
    while read -r section at bytes; do
      echo "$section $(plus "$at" "$bytes")"
    done
}

# functions_of FILE: "SECTION ADDRESS NAME"
functions_of() {
  { readelf -SW "$1" | sed -nE 's/^ *\[ *([0-9]+)\] ([^ ]+) .*/S \1 \2/p'
    readelf -sW "$1" | awk '$4 == "FUNC" { print "F", $7, $2, $8 }'; } |
    awk '$1 == "S" { names[$2] = $3 } $1 == "F" { print names[$2], $3, $4 }'
}

readonly kaslr=$((0x1c400000))
readonly module_start=$((0xffffffffc0400000))

# loads_of MODULE: "SECTION ADDRESS": what is discarded after the start is in a place of its own.
loads_of() {
  local section next=$module_start
  readelf -SW "$1" | sed 's/^ *\[ *//' | awk '$8 ~ /X/ { print $2 }' |
    while read -r section; do
      case $section in
        .init.text) printf '%s %x\n' "$section" $((module_start - 0x100000)) ;;
        *) printf '%s %x\n' "$section" "$next" ;;
      esac
      next=$((next + 0x1000))
    done
}

# lines_at FILE SECTION: of offsets in a section, or of addresses ("") on stdin, as reports show them.
# A part of a function has the name of the function in the debug data.
lines_at() {
  elfutils "$1" "$2" 2>/dev/null | awk -f "$work/normalise.awk" | sed "s#@$work/tree/#@#g"
}

# add_calls FILE SECTION LOAD: the calls in a section of a file, the code of which is at that distance.
add_calls() {
  local file=$1 section=$2 load=$3 at
  calls_of "$file" | sed -n "s/^$section //p" >calls
  while read -r at; do
    plus "$at" -1
    echo
  done <calls | lines_at "${twin:-$file}" "$(is_relocatable "$file" && echo "$section")" >lines
  while read -r at; do
    plus "$at" "$load"
    echo
  done <calls >addresses
  paste -d '' addresses lines >>"$folder/wanted"
  sed "s/^/$allocator /" addresses >>"$folder/stacks"
}

# record FOLDER KERNEL MODULE MACHINE
record() {
  local folder=$1 built_in=$2 loadable=$3 allocator section load name at
  mkdir -p "$folder"
  rm -f "$folder"/*
  echo "$4" >"$folder/arch"
  at=$(readelf -sW "$built_in" | awk '$8 == "_stext" { print $2 }')
  echo "$(plus "$at" kaslr) $(plus "$at" kaslr+0x1000)" >"$folder/text"
  { echo "kernel 0 0 $(build_id_of "$built_in")"
    printf 'pipe 65536 0x%x %s\n' "$module_start" "$(build_id_of "$loadable")"; } >"$folder/modules"
  functions_of "$built_in" | while read -r section at name; do
    echo "$(plus "$at" kaslr) T $name"
  done >"$folder/symbols"
  echo "$(sed 's/.* //' "$folder/text") T _etext" >>"$folder/symbols"
  allocator=$(sed -n 's/ T pool_alloc$//p' "$folder/symbols")
  for section in .text .init.text; do
    twin=${5:-} add_calls "$built_in" "$section" "$kaslr"
  done
  while read -r section load; do
    echo "pipe $section $load" >>"$folder/sections"
    functions_of "$loadable" | sed -n "s/^$section //p" | while read -r at name; do
      printf '%s t %s\t[pipe]\n' "$(plus "$at" "0x$load")" "$name"
    done >>"$folder/symbols"
    twin=${6:-} add_calls "$loadable" "$section" "0x$load"
  done < <(loads_of "$loadable")
}

# lines_of_report: as in "wanted", of a report's stacks, but for their first frame.
lines_of_report() {
  sed -nE 's/^ 0x0*([0-9a-f]+) : ([^ +]+)[^][]* \[[^ ]*\]( (.*))?$/\1 \2@\4/p' | awk '
    { if ($1 != address && address != "") print address frames
      if ($1 != address) frames = ""
      address = $1; sub(/@$/, "@??:0"); if (!/:[0-9]+$/) $0 = $0 ":0"
      sub(/^[^ ]*/, ""); frames = frames $0 }
    END { print address frames }' | grep -vE "^[^ ]* pool_alloc@[^ ]*$" | sed 's/\.cold@/@/'
}

# run_tool NAME STATUS [OPTION...]: with the recording, and checks the exit status.
tool() {
  local name=$1 status=$2 program=$3
  shift 3
  "$build/$program" "$@" >out 2>err </dev/null
  [ $? = "$status" ] && return
  check "$name: status $status: $(head -n 1 err)" 1
}

# same NAME FILE FILE: they are equal, and have something.
same() {
  [ -s "$2" ] && diff "$2" "$3" >different
  check "$1" $?
  [ ! -s different ] || head -n 6 different
  rm -f different
}

# says NAME TEXT FILE...: a file has the text.
says() {
  local name=$1 text=$2
  shift 2
  cat "$@" | grep -qF -- "$text"
  check "$name" $?
}

lacks() {
  ! grep -qE -- "$2" "$3"
  check "$1" $?
}

partitioned=("${compile[@]}" -g -freorder-blocks-and-partition)
kernel_options=(-ffreestanding -mcmodel=kernel -fno-pie -no-pie -nostdlib -static '-Wl,-e,main'
  '-Wl,-Ttext=0xffffffff81000000' '-Wl,--defsym=_stext=0xffffffff81000000')
readonly kernel=debug/vmlinux module=debug/modules/pipe.ko

# make_host: a kernel and a module in debug/, another build of the module in wrong/, their recording
# host.kmr, and in "want" the lines of all calls.
make_host() {
  local cc=(gcc "${partitioned[@]}")
  mkdir -p debug/modules wrong
  make_object "a kernel" "${cc[@]}" "${kernel_options[@]}" "${sources[@]}" -o $kernel &&
    make_object "a module" "${cc[@]}" -r -nostdlib "${sources[@]}" -o $module &&
    make_object "another module" "${cc[@]}" -fno-inline -r -nostdlib "${sources[@]}" \
      -o wrong/pipe.ko || return
  record host $kernel $module x86_64
  "$build/tests/cli/make_fixture" lines host >host.kmr
  sort host/wanted >want
}

# same_lines NAME OPTION...: all lines are found with these options.
same_lines() {
  local name=$1
  shift
  tool "$name" 0 kmalloc-top -i host.kmr --lines "$@"
  lines_of_report <out | sort >got
  same "$name" want got
}
