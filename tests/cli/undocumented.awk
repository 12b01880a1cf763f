# SPDX-License-Identifier: GPL-2.0-or-later
# Names prototypes of headers that have no comment: of several in a row, without an empty line between them, the first
# one has it for all.
FNR == 1 {
	has_comment = in_comment = goes_on = 0
}
in_comment {
	in_comment = !/\*\//
	next
}
goes_on {
	goes_on = !/[;{]$/
	next
}
/^$/ {
	has_comment = 0
}
/^[ \t]*\/\*/ {
	has_comment = 1
	in_comment = !/\*\//
	next
}
/^[a-zA-Z_][a-zA-Z0-9_ *]*[ *][a-z_0-9]+\(/ && !/^(typedef|static|extern|enum) / {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	if (!has_comment)
		print FILENAME ":" FNR ": " name
	goes_on = !/[;{]$/
}
