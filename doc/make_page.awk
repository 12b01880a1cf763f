# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a man page:
#
#   awk -v tool=slabstack -v version=0.2.0 -f make_page.awk \
#     tool_description.h option_table.c options.man slabstack.1.in
#
# @VERSION@ becomes the version. The line @OPTIONS@ of the page becomes the options of the tool: in the
# order of the option table and under its headings, each with its name, its argument and the line of
# --help, all from that table, and with its text in options.man. There "@ NAME [TOOL]..." begins a text,
# of all tools or of some.

function fail(problem) {
  print FILENAME ":" FNR ": " problem >"/dev/stderr"
  failed = 1
  exit 1
}

# The bits of tool_description.h: a tool's own, or several.
function note_tools(line,   name, value, i) {
  match(line, /TOOLS?_[A-Z_]+/)
  name = substr(line, RSTART, RLENGTH)
  value = substr(line, index(line, "=") + 1)
  has_tool[name] = name == bit || name == "TOOLS_ALL"
  for (i in has_tool)
    if (has_tool[i] && index(value, i))
      has_tool[name] = 1
  is_bit[name] = 1
}

# Splits a row into its members; texts that follow each other are one.
function split_row(row, members,   i, c, quoted, count) {
  count = 1
  members[1] = ""
  for (i = 1; i <= length(row); i++) {
    c = substr(row, i, 1)
    if (c == "\\")
      fail("a backslash in a row")
    if (c == "\"")
      quoted = !quoted
    else if (c == "," && !quoted)
      members[++count] = ""
    else if (quoted || c !~ /[ \t]/)
      members[count] = members[count] c
  }
}

function take_row(row,   members, name) {
  sub(/^\t\{ /, "", row)
  sub(/ \},$/, "", row)
  split_row(row, members)
  if (members[6] !~ /^(OPTION_OF_RUN\|)?(OPTION_COMMON\|)?(FLAG|TEXT|NUMBER|NUMBER_32|APPLY)\(|^FILTER$/ ||
      !(members[1] in is_bit) || members[3] !~ /^[a-z-]+$/)
    fail("not understood: " row)
  name = members[3]
  known[name] = 1
  if (!has_tool[members[1]])
    return
  if (name in mine)
    fail("--" name " stands there twice for this tool")
  mine[name] = 1
  options++
  option[options] = name
  letter[options] = members[2] == "0" ? "" : substr(members[2], 2, 1)
  argument[options] = members[4] == "NULL" ? "" : members[4]
  help[options] = members[5] == "NULL" ? "" : members[5]
  heading[options] = section
}

function escaped(text) {
  gsub(/-/, "\\-", text)
  return text
}

function bold(text) {
  return "\\fB" escaped(text) "\\fP"
}

# An argument: what stands for a value in italics, what is typed in bold type.
function formatted_argument(text,   out, rest) {
  if (sub(/\[KMG\]$/, "", text))
    rest = "[\\fBK\\fP|\\fBM\\fP|\\fBG\\fP]"
  if (text ~ /^\[.*\]$/)
    return "[=" formatted_values(substr(text, 2, length(text) - 2)) "]"
  return "=" formatted_values(text) rest
}

function formatted_values(text,   out) {
  while (match(text, /[A-Z]+(\.ko)?|[a-z0-9]+|[,+]+/)) {
    out = out substr(text, 1, RSTART - 1) (substr(text, RSTART, 1) ~ /[A-Z]/ ? "\\fI" : "\\fB")
    out = out substr(text, RSTART, RLENGTH) "\\fP"
    text = substr(text, RSTART + RLENGTH)
  }
  return out text
}

# Whether a word is one of the argument's.
function is_of_argument(word, text) {
  gsub(/[^A-Za-z0-9.]+/, " ", text)
  return index(" " text " ", " " word " ") > 0
}

# The line of --help as a sentence.
function sentence(text, of_argument,   words, count, i, before, word, behind, out) {
  count = split(text, words, " ")
  for (i = 1; i <= count; i++) {
    word = words[i]
    before = behind = ""
    if (word ~ /^\(/) {
      before = "("
      word = substr(word, 2)
    }
    if (match(word, /[,;:.)]+$/)) {
      behind = substr(word, RSTART)
      word = substr(word, 1, RSTART - 1)
    }
    if (word ~ /^-/)
      word = bold(word)
    else if (is_of_argument(word, of_argument))
      word = (word ~ /^[A-Z]/ ? "\\fI" : "\\fB") word "\\fP"
    else if (i == 1)
      word = toupper(substr(word, 1, 1)) substr(word, 2)
    out = out (i > 1 ? " " : "") before word behind
  }
  return out "."
}

function print_option(i,   head) {
  if (heading[i] != last_heading)
    print ".SS " heading[i]
  last_heading = heading[i]
  print ".TP"
  head = ".BR "
  if (letter[i] != "")
    head = head "\\-" letter[i] " \", \" "
  head = head "\\-\\-" escaped(option[i])
  if (argument[i] != "")
    print head " " formatted_argument(argument[i])
  else
    print (letter[i] != "" ? head : ".B \\-\\-" escaped(option[i]))
  if (help[i] == "" && texts[option[i]] == "")
    fail("--" option[i] " has neither a line of help nor a text")
  if (help[i] != "")
    print sentence(help[i], argument[i])
  printf "%s", texts[option[i]]
}

BEGIN {
  bit = "TOOL_" toupper(tool)
  gsub(/-/, "_", bit)
}

FNR == 1 {
  files++
}

# tool_description.h
files == 1 && /^\tTOOLS?_[A-Z_]+ = / {
  note_tools($0)
}

# option_table.c: a row may take several lines.
files == 2 && /^const OptionRow option_rows\[\] = \{$/ {
  if (!has_tool[bit])
    fail("there is no tool '" tool "'")
  in_rows = 1
  next
}
files == 2 && in_rows && /^\};$/ {
  in_rows = 0
  if (row != "")
    fail("a row does not end: " row)
}
files == 2 && in_rows {
  row = row $0
  if (row ~ /^\tSECTION_OF\("[^"]*"\),$/) {
    section = substr(row, index(row, "\"") + 1)
    section = substr(section, 1, length(section) - 3)
    row = ""
  } else if (row ~ /^\t\{ 0, /) {
    row = ""
  } else if (row ~ /^\t\{ TOOL.* \},$/) {
    take_row(row)
    row = ""
  }
}

# options.man
files == 3 && /^@ / {
  if (!($2 in known))
    fail("there is no option --" $2)
  text_of = NF == 2 && $2 in mine ? $2 : ""
  for (i = 3; i <= NF; i++)
    if ($i == tool)
      text_of = $2
  if (text_of != "" && !(text_of in mine))
    fail(tool " has no option --" text_of)
  next
}
files == 3 && !/^\.\\"/ && text_of != "" {
  texts[text_of] = texts[text_of] $0 "\n"
}

# The page.
files == 4 && /^@OPTIONS@$/ {
  for (i = 1; i <= options; i++)
    print_option(i)
  done = 1
  next
}
files == 4 {
  gsub(/@VERSION@/, version)
  print
  if (FNR == 1)
    print ".\\\" Made of " tool ".1.in, options.man and the option table: change those."
}

END {
  if (!failed && (!options || !done)) {
    print tool ": no options, or no line @OPTIONS@" >"/dev/stderr"
    failed = 1
  }
  exit failed
}
