# SPDX-License-Identifier: GPL-2.0-or-later
# uncalled.awk FILE.c FILE.h ...: prints each function that one of the .c files exports and none of these files
# names, apart from its definition and one declaration: "FILE:LINE NAME". A function that frees a type is also
# called by g_autoptr() of the type. Needs code_of.awk.

# The first line of a function's definition has its name, and stands at the left margin.
function note_definition(line,    name, before) {
	if (line !~ /^[A-Za-z_]/ || line ~ /^(static|typedef|extern|return|[A-Z_]+\()/ ||
	    !match(line, /[A-Za-z_][A-Za-z_0-9]*\(/))
		return
	name = substr(line, RSTART, RLENGTH - 1)
	before = substr(line, 1, RSTART - 1)
	if (before ~ /[A-Za-z_0-9*][ *]+$/ && !(name in defined))
		defined[name] = FILENAME ":" FNR
}

FNR == 1 { in_comment = 0 }

{
	line = code_of($0)
	is_header = FILENAME ~ /\.h$/
	if (!is_header)
		note_definition(line)
	if (match(line, /G_DEFINE_AUTO(PTR_CLEANUP|_CLEANUP_CLEAR)_FUNC\([A-Za-z_0-9]+, *[A-Za-z_0-9]+/)) {
		split(substr(line, RSTART, RLENGTH), words, /[(, ]+/)
		freed[words[3]] = words[2]
		next
	}
	while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
		word = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		if (is_header)
			declared[word]++
		else
			named[word]++
		if ((word == "g_autoptr" || word == "g_auto") && match(line, /[A-Za-z_0-9]+/))
			auto[substr(line, RSTART, RLENGTH)] = 1
	}
}

END {
	for (name in defined)
		if (name != "main" && named[name] < 2 && declared[name] < 2 &&
		    !((name in freed) && (freed[name] in auto)))
			print defined[name], name
}
