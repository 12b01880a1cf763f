# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the output of a golden case with only those columns and members that the case names: SHOWN_COLUMNS in the environment
# is its line "# columns: FIGURE ... | LABEL ...", SHOWN_MEMBERS its lines "# members: PATH ...". Appends to missing_file
# the names that did not appear, and to whole_file the case if something was shown whole, as nothing selects there.

function is_title(word)
{
  return word ~ /^[A-Z+][A-Z0-9%<>+-]*(ms)?(\/s)?$/
}

# Leaves the titles of a line in title[], first[] and last[] (their bytes); returns how many, 0: these are no titles.
function read_titles(line,    at)
{
  columns = 0
  for (at = 1; match(substr(line, at), /[^ ]+/); at += RSTART + RLENGTH - 1) {
    title[++columns] = substr(line, at + RSTART - 1, RLENGTH)
    if (!is_title(title[columns]))
      return 0
    first[columns] = at + RSTART - 1
    last[columns] = first[columns] + RLENGTH - 1
  }
  return columns
}

# Whether these are the titles of a table with figures of metrics.
function has_metrics(    i)
{
  for (i = 1; i <= columns; i++)
    if (title[i] ~ /^(ALLOCATIONS|HITS|HELD|ADDED|ALLOCS(\/s)?)$/)
      return columns > 1
  return 0
}

function is_label(i)
{
  return title[i] in labels
}

# Sets from[] and to[], the bytes of each column with the gap before it. Figures end where their titles end. Labels begin
# where their titles begin, and go on up to the next label; before a figure they have a fixed width. Returns whether the
# case names a label of these titles.
function place_columns(    i, named)
{
  gap = is_label(1) ? 1 : 2
  for (i = 1; i <= columns; i++) {
    from[i] = i == 1 ? 1 : to[i - 1] + 1
    if (!is_label(i))
      to[i] = last[i]
    else if (i == columns)
      to[i] = 9999
    else
      to[i] = (is_label(i + 1) ? first[i + 1] - gap : first[i] + width[title[i]]) - 1
    named += is_label(i)
  }
  return named
}

# Returns by how many bytes the figures after the label i - 1 are shifted, because that label is wide; below 0: these
# are no figures.
function shift_of(line, i, shift,    end, k, ok)
{
  for (end = shift + (i > 1 ? 200 : 0); shift <= end; shift++) {
    ok = 1
    for (k = i; ok && k <= columns && !is_label(k); k++)
      ok = substr(line, from[k] + shift, to[k] - from[k] + 1) ~ /^ *[~+-]?[0-9<][^ ]*( [^ ]+)?$|^ *-$/ &&
        substr(line, to[k] + shift + 1, 1) ~ /^ ?$/
    if (ok)
      return shift
  }
  return -1
}

# Returns the named columns of a line; "" if it is no row of the table. titles: it is the line of titles.
function cut_line(line, titles,    i, shift, next_shift, cell, cut)
{
  last_label = 0
  for (i = 1; i <= columns; i++) {
    next_shift = shift
    if (!titles && !is_label(i) && (i == 1 || is_label(i - 1)))
      next_shift = shift_of(line, i, shift)
    else if (!titles && is_label(i) && i < columns && !is_label(i + 1))
      next_shift = shift_of(line, i + 1, shift)
    if (next_shift < 0)
      return ""
    cell = substr(line, from[i] + shift, to[i] + next_shift - from[i] - shift + 1)
    shift = next_shift
    if (!is_label(i) && !(title[i] in figures))
      continue
    if (titles)
      found[title[i]]
    if (cut == "" && i > 1)
      cell = substr(cell, gap + 1)
    if (titles && i == columns)
      last_label = length(cut) + (cut == "" ? 0 : gap) + 1
    cut = cut cell
  }
  sub(/ +$/, "", cut)
  return cut
}

# Lines of a stack begin where the label of its first line does.
function is_continued(line)
{
  return is_label(columns) && length(line) >= first[columns] && substr(line, 1, first[columns] - 1) ~ /^ *$/
}

# "bytes: requested 9, allocated 16, wasted 7; failed 0"
function cut_bytes(line,    head, tail, parts, part, count, i, cut)
{
  head = substr(line, 1, index(line, ":") + 1)
  line = substr(line, length(head) + 1)
  if (match(line, /; .*| \(.*/))
    tail = substr(line, RSTART)
  parts = substr(line, 1, length(line) - length(tail))
  count = split(parts, part, ", ")
  for (i = 1; i <= count; i++) {
    line = part[i]
    sub(/ .*/, "", line)
    if (!(line in figures))
      continue
    found[line]
    cut = cut (cut == "" ? "" : ", ") part[i]
  }
  return head cut tail
}

# Takes what matches from the front of the text.
function take(pattern,    token)
{
  if (!match(text, pattern))
    return ""
  token = substr(text, 1, RLENGTH)
  text = substr(text, RLENGTH + 1)
  return token
}

# Takes a value of JSON from the front of the text; returns its named members, all if whole.
function take_value(path, whole,    open, cut, key, name, value, inside)
{
  open = substr(text, 1, 1)
  if (open == "\"")
    return take("^\"([^\"\\\\]|\\\\.)*\"")
  if (open != "{" && open != "[")
    return take("^[^]},]+")
  text = substr(text, 2)
  while (text != "" && substr(text, 1, 1) !~ /^[]}]$/) {
    key = ""
    name = path
    if (open == "{") {
      key = take("^\"([^\"\\\\]|\\\\.)*\":")
      name = (path == "" ? "" : path ".") substr(key, 2, length(key) - 3)
    }
    inside = whole || name in members
    if (name in members)
      found[name]
    value = take_value(name, inside)
    if (inside || name in holders || open == "[")
      cut = cut (cut == "" ? "" : ",") key value
    take("^,")
  }
  take("^[]}]")
  return open cut (open == "{" ? "}" : "]")
}

# Splits a line of CSV, which ends with "\r", into cell[]; returns how many.
function read_cells(line,    count)
{
  count = 0
  text = line
  sub(/\r$/, "", text)
  while (1) {
    cell[++count] = substr(text, 1, 1) == "\"" ? take("^\"([^\"]|\"\")*\"") : take("^[^,\"]*")
    if (take("^,") == "")
      return text == "" ? count : 0 # else: no CSV
  }
}

# Prints a line of CSV; titles: the first.
function print_cells(titles,    i, cut, count)
{
  for (i = 1; i <= csv_columns; i++) {
    if (titles) {
      csv_shown[i] = cell[i] in members
      if (csv_shown[i])
        found[cell[i]]
    }
    if (csv_shown[i])
      cut = cut (count++ ? "," : "") cell[i]
  }
  print cut "\r"
}

function note_whole()
{
  print case_name >>whole_file
}

# Notes a member: "rows.{process,count}" is two.
function want_member(path,    head, tail, names, name, i)
{
  if (!match(path, /\{[^}]*\}/)) {
    members[path]
    selects_members = 1
    while (sub(/\.[^.]*$/, "", path))
      holders[path]
    return
  }
  head = substr(path, 1, RSTART - 1)
  tail = substr(path, RSTART + RLENGTH)
  names = split(substr(path, RSTART + 1, RLENGTH - 2), name, ",")
  for (i = 1; i <= names; i++)
    want_member(head name[i] tail)
}

function note_missing(wanted,    name)
{
  for (name in wanted)
    if (!(name in found))
      print name >>missing_file
}

BEGIN {
  # Of the text columns of slabratetop.
  width["CACHE"] = 32
  width["PROCS"] = 20
  parts = split(ENVIRON["SHOWN_COLUMNS"], part, " ")
  for (i = 1; i <= parts; i++)
    if (part[i] == "|")
      after_bar = 1
    else if (after_bar)
      labels[part[i]]
    else
      figures[part[i]]
  parts = split(ENVIRON["SHOWN_MEMBERS"], part, " ")
  for (i = 1; i <= parts; i++)
    want_member(part[i])
}

in_table {
  cut = cut_line($0, 0)
  if (cut == "" && is_continued($0))
    cut = sprintf("%*s", last_label_at - 1, "") substr($0, first[columns])
  if (cut != "") {
    in_table = 2
    print cut
    next
  }
  # A wrong list of labels shall not look like a table that ended.
  if (in_table == 1)
    print "[these rows do not fit their titles: does the case name all labels?]"
  in_table = 0
}
csv_columns {
  if (read_cells($0) == csv_columns) {
    print_cells(0)
    next
  }
  csv_columns = 0
}
/^[Bb]ytes: / {
  if (ENVIRON["SHOWN_COLUMNS"] != "")
    $0 = cut_bytes($0)
  else if (/^b/) # few cases show the closing line "Bytes"
    note_whole()
  print
  next
}
/^\{"(\$schema|schema_version|host)":/ {
  if (selects_members) {
    text = $0
    print take_value("", 0) text
  } else {
    note_whole()
    print
  }
  next
}
/^host,[A-Za-z0-9_,-]+\r$/ {
  if (selects_members) {
    csv_columns = read_cells($0)
    print_cells(1)
  } else {
    note_whole()
    print
  }
  next
}
read_titles($0) && has_metrics() {
  if (place_columns()) {
    in_table = 1
    print cut_line($0, 1)
    last_label_at = last_label
    next
  }
  note_whole()
}
{ print }
END {
  note_missing(labels)
  note_missing(figures)
  note_missing(members)
}
