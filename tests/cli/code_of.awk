# SPDX-License-Identifier: GPL-2.0-or-later
# code_of.awk: what the checks of sources in awk share.

# Returns the line without comments and strings. A comment may go on in the next line: in_comment.
function code_of(line,    from, to) {
	gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	if (in_comment) {
		to = index(line, "*/")
		if (!to)
			return ""
		line = substr(line, to + 2)
		in_comment = 0
	}
	while ((from = index(line, "/*"))) {
		to = index(substr(line, from + 2), "*/")
		if (!to) {
			in_comment = 1
			return substr(line, 1, from - 1)
		}
		line = substr(line, 1, from - 1) " " substr(line, from + to + 3)
	}
	return line
}
