# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.1
# Source lines: those of each frame of the test module and of a program are what addr2line gives, live and from
# the recording, on this host and another. A wrong debuginfo gives none.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh
# shellcheck source=points.sh source-path=SCRIPTDIR
. "$cases/points.sh"
collect_by kmt_vm
tool=kmalloc-top

readonly count=40 parameters=/sys/module/vmtest_first/parameters
readonly only_ours=(-I '[vmtest_first]') debuginfo=(--lines --debuginfo=debuginfo)

# Debuginfo is in a file of its own; what is loaded has none.
mkdir debuginfo
objcopy --only-keep-debug /tmp/modules/vmtest_first.ko debuginfo/vmtest_first.ko.debug
objcopy --strip-debug /tmp/modules/vmtest_first.ko vmtest_first.ko
insmod ./vmtest_first.ko
build_id=$(od -A n -t x1 -j 16 /sys/module/vmtest_first/notes/.note.gnu.build-id | tr -d ' \n')
address=$(awk '$1 == "vmtest_first" { print $6 }' /proc/modules)
mapfile -t sections < <(cd /sys/module/vmtest_first/sections && grep -H . .*text*)

# line_of NAME: the number of the source line with the comment "line: NAME".
line_of()
{
	sed -n "/line: $1 /=" /tmp/modules/vmtest_first.c
}

# Work at many places of the module.
cat > work <<WORK
for kind in lines task hardirq stacks large keep worker rcu bulk release; do
	echo $count > $parameters/\$kind
done
for kind in thread cache; do
	echo vmtest_lines > $parameters/\$kind
done
WORK

# ours FILE NAME FORM: the distinct frames of a report that have this name in brackets, a line "PLACE FUNCTION
# FILE:LINE" each, innermost inlined function first. PLACE is an address of the kernel, or FUNCTION+OFFSET.
ours()
{
	awk -v name=" [$2]" -v form="$3" '
		function print_group(place,    i) {
			for (i = 0; i < n; i++)
				if (!seen[place, group[i]]++)
					print place, group[i]
			n = 0
		}
		{ at = index($0, name) }
		!at { n = 0; next }
		{
			source = substr($0, at + length(name))
			words = split(substr($0, 1, at - 1), word, " ")
			split(word[word[2] == ":" ? 3 : 1], parts, /[+\/]/)
			group[n++] = parts[1] (source == "" ? " ??" : source)
		}
		word[words] != "(inlined)" { print_group(form == "address" ? word[1] : parts[1] "+" parts[2]) }' "$1" |
		sed 's, /usr/src/[^/]*/, ,' | sort -s -k 1,1
}

# in_section ADDRESS: the section of the module, and the offset in it of the call before that address.
in_section()
{
	local entry name start best='' best_start=0
	for entry in "${sections[@]}"; do
		name=${entry%%:*} start=$((${entry#*:}))
		# Addresses of the kernel are negative numbers.
		if [ "$start" -le $(($1)) ] && { [ -z "$best" ] || [ "$start" -gt "$best_start" ]; }; then
			best=$name best_start=$start
		fi
	done
	printf '%s 0x%x\n' "$best" $(($1 - best_start - 1))
}

# theirs TOOL OPTION… < PLACES: what a tool gives for lines "PLACE ADDRESS", as ours.
theirs()
{
	local rows
	mapfile -t rows
	"$@" -a "${rows[@]#* }" | awk -v has_functions="$([ "$1" = addr2line ] && echo 1)" '
		NR == FNR { place[NR] = $1; next }
		/^0x/ { n++; next }
		has_functions && name == "" { name = $0 " "; next }
		{
			sub(/ \(discriminator [0-9]+\)$/, "")
			# elfutils has columns, too.
			if ($0 ~ /:[0-9]+:[0-9]+$/)
				sub(/:[0-9]+$/, "")
			print place[n], name $0
			name = ""
		}' <(printf '%s\n' "${rows[@]}") - | sed -E 's, /usr/src/[^/]*/(\./)?, ,; s, /build/, ,'
}

# as_addr2line NAME OURS PLACES OPTION…: functions, files and lines are binutils'; files and lines are elfutils'.
as_addr2line()
{
	local name=$1 ours=$2 places=$3
	shift 3
	theirs addr2line -f -i "$@" < "$places" > binutils
	holds "$name: all frames as addr2line" cmp "$ours" binutils
	theirs eu-addr2line -i "$@" < "$places" > elfutils
	holds "$name: all lines as eu-addr2line" cmp <(cut -d ' ' -f 1,3 "$ours") elfutils
	echo "$name: $(cut -d ' ' -f 1 "$ours" | sort -u | wc -l) places, $(wc -l < "$ours") frames"
}

# frames_are_right NAME: those of the module in ./report.
frames_are_right()
{
	local address section offset
	ours report vmtest_first address > "$1.ours"
	cut -d ' ' -f 1 "$1.ours" | sort -u > addresses
	rm -f places.*
	while read -r address; do
		read -r section offset < <(in_section "$address")
		echo "$address $offset" >> "places.$section"
	done < addresses
	holds "$1: places in two sections" test -s places..text -a -s places..vmtest.text
	holds "$1: many places" [ "$(wc -l < addresses)" -ge 30 ]
	holds "$1: many inlined functions" [ "$(wc -l < "$1.ours")" -ge $(($(wc -l < addresses) + 15)) ]
	for section in .text .vmtest.text; do
		grep -F -f <(cut -d ' ' -f 1 "places.$section") "$1.ours" > part
		as_addr2line "$1 $section" part "places.$section" -e /tmp/modules/vmtest_first.ko -j "$section"
	done
}

# reported NAME ARG…: the recording's report; leaves ./report and ./errors.
reported()
{
	local name=$1
	shift
	kmalloc-top -i "$name.kmr" "${only_ours[@]}" "$@" > report 2> errors
	status=$?
}

# known_lines NAME: what the module allocated at each line.
known_lines()
{
	local file=/tmp/vmtest/vmtest_first.c line
	reported "$1" "${debuginfo[@]}" --by=line -e "$unrelated"
	rows > "$1.rows"
	has_line "$1: by line" "^$((3 * count)) $file:$(line_of allocation)\$" "$1.rows"
	for line in first:1 second:2 apart:1; do
		reported "$1" "${debuginfo[@]}" -I "vmtest_first.c:$(line_of "${line%:*}")" -e "$unrelated"
		equals "$1: -I FILE:LINE, ${line%:*}" $((${line#*:} * count)) "$(report_count report)"
	done
}

# Without lines a report is what it was.
without_lines()
{
	sed -E '/ \(inlined\) /d; s/( [^ ]+\+0x[0-9a-f]+\/0x[0-9a-f]+ \[[^]]+\]) [^ ]+:[0-9]+$/\1/' "$1"
}

recorded()
{
	local name=$1
	profile --record "$name.kmr" -O "$name.report" "${only_ours[@]}" "${debuginfo[@]}" -- sh work
	cp "$name.report" report
	is_complete "$name"
	frames_are_right "$name"
	reported "$name" "${debuginfo[@]}"
	holds "$name: -i gives the same report" cmp "$name.report" report
	has_line "$name: a note about the kernel" \
		'no lines of kernel.*: no debuginfo was found \(--missing-debuginfo ' errors
	reported "$name"
	holds "$name: without --lines the rest is the same" cmp <(without_lines "$name.report") report
	echo "${only_ours[*]} ${debuginfo[*]}" > "$name.arguments"
	cp "$name.kmr" "$name.report" "$name.arguments" "$recordings/"
}

cp -r debuginfo "$recordings/"
recorded lines-stap
known_lines lines-stap
collect_by perf
recorded lines-perf

# Reading debuginfo would lose events: only the last report has lines.
kmalloc-top --collector=perf --every 1 "${only_ours[@]}" "${debuginfo[@]}" \
	-c "sh -c 'sh work; sleep 6; sh work'" > report 2> errors
equals 'reports during the run: exit status' 0 "$?"
equals 'reports during the run: with lines' 1 "$(awk '
	/vmtest_first\.c:[0-9]/ { has_lines = 1 }
	/^Lost: none$/ { n += has_lines; has_lines = 0 }
	END { print n + 0 }' report)"
has_line 'reports during the run: a note' 'reports during the run are without source lines' errors

# What is not the debuginfo of this module.
mkdir wrong
cp /tmp/modules/vmtest_second.ko wrong/vmtest_first.ko
wrong_id=$(eu-readelf -n wrong/vmtest_first.ko | sed -n 's/.*Build ID: //p')
reported lines-perf
cp report plain
reported lines-perf --lines --debuginfo=wrong
equals 'a wrong debuginfo: exit status' 0 "$status"
has_line 'a wrong debuginfo: both ids' \
	"no lines of vmtest_first: wrong/vmtest_first.ko has build id $wrong_id, not $build_id\$" errors
holds 'a wrong debuginfo: no lines' cmp plain report

# Debian's elfutils reads what zstd compressed from Debian 12 on.
forms=(gz xz)
! ldd "$(command -v eu-addr2line)" | grep -q libzstd || forms+=(zst)
gzip -k /tmp/modules/vmtest_first.ko
for form in "${forms[@]}"; do
	mkdir "$form"
	mv "/tmp/modules/vmtest_first.ko.$form" "$form/"
	reported lines-perf --lines --debuginfo="$form"
	holds "a module in $form: the same report" cmp lines-perf.report report
done

rmmod vmtest_first
reported lines-stap "${debuginfo[@]}"
holds 'an unloaded module: the same report' cmp lines-stap.report report

kmalloc-top -i lines-perf.kmr --info > info
has_line '--info: the module' "^vmtest_first +$build_id +$address\$" info
has_line '--info: the kernel' "^kernel +[0-9a-f]{40} +0x$(sed -n 's/ [tT] _stext$//p' /proc/kallsyms)\$" info

kmalloc-top -i lines-perf.kmr --missing-debuginfo > missing
has_line 'what is missing: the module' "^vmtest_first +$build_id +not found\$" missing
has_line 'what is missing: the kernel' '^kernel +[0-9a-f]{40} +not found$' missing
has_line 'what is missing: the package' "^    apt-get install linux-image-$(uname -r | sed 's/[.+]/\\&/g')-dbg\$" missing
kmalloc-top -i lines-perf.kmr --missing-debuginfo --debuginfo=debuginfo > missing
has_line 'what is missing: no longer' "^vmtest_first +$build_id +debuginfo/vmtest_first.ko.debug\$" missing

# as_nobody ARG…: a user's report of the recording.
as_nobody()
{
	setpriv --reuid 65534 --clear-groups kmalloc-top -i readable.kmr "${only_ours[@]}" "$@" > report 2> errors
	status=$?
}

mkdir -m 0700 hidden
mkdir -m 0755 visible
cp debuginfo/vmtest_first.ko.debug hidden/
install -m 0600 debuginfo/vmtest_first.ko.debug visible/
install -m 0644 lines-perf.kmr readable.kmr
as_nobody "${debuginfo[@]}"
holds 'a user: the same report' cmp lines-perf.report report
as_nobody --lines --debuginfo=hidden
equals 'a folder of root: exit status' 2 "$status"
has_line 'a folder of root: why' '^kmalloc-top: --debuginfo: hidden: Permission denied$' errors
as_nobody --lines --debuginfo=visible
equals 'a file of root: exit status' 0 "$status"
has_line 'a file of root: why' 'no lines of vmtest_first: visible/vmtest_first.ko.debug: Permission denied$' errors
holds 'a file of root: no lines' cmp plain report

# program_is_right KIND INNERMOST: the frames of the workload in report.KIND. Of the function INNERMOST it is where
# it entered the kernel, of others where they called.
program_is_right()
{
	local innermost=$2 place function start call
	ours "report.$1" workload offset | grep -v '^_start+' > "$1.ours"
	cut -d ' ' -f 1 "$1.ours" | sort -u | while read -r place; do
		function=${place%+*}
		start=$(nm "$(command -v workload)" | sed -n -E "s/^([0-9a-f]+) [tT] $function\$/0x\1/p")
		call=1
		[ "$function" != "$innermost" ] || call=0
		printf '%s 0x%x\n' "$place" $((start + ${place#*+} - call))
	done > places
	holds "$1: its functions" [ "$(wc -l < places)" -ge 4 ]
	as_addr2line "$1" "$1.ours" places -e "$(command -v workload)"
}

tool=stack-top
known_kinds brk touch
known brk "$(preset brk)" --lines -I ask_for_heap -- ./known-brk brk 50
program_is_right brk ask_for_heap
known touch "$(preset faults)" --lines -I touch_page -- ./known-touch touch 50
program_is_right touch touch_page
