#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flamegraph.py FOLDED ROWS COLUMN: compares what flamegraph.pl draws of a file of --format=folded with
the rows of --format=ndjson of the same report: the figure of each function at each depth.
flamegraph.py --diff FOLDED ROWS COLUMN: the same of a comparison: the newer figures.
flamegraph.py --find: prints the path of flamegraph.pl, or fails."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

# Debian has it beside the profiler whose package contains it.
PLACES = ('flamegraph.pl', '/usr/share/perl5/Devel/NYTProf/flamegraph.pl')
SVG = '{http://www.w3.org/2000/svg}'
TITLE = re.compile(r'(.*) \(([0-9,]+) samples, [0-9.]+%(?:; ([-+]?[0-9.]+)%)?\)', re.DOTALL)


def find_program():
    """Returns the path of flamegraph.pl, or None. That of Debian is a script without the right to run."""
    for place in PLACES:
        path = shutil.which(place) or place
        if os.path.isfile(path):
            return path
    return None


def as_drawn(name):
    """A name as folded writes it, and flamegraph.pl draws it."""
    return name.translate(str.maketrans(';<>', ':()'))


def boxes_of(folded):
    """Figures by depth and name, and the changes of innermost functions; depth 0 is all."""
    run = subprocess.run(['perl', find_program(), '--minwidth=0', folded], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, encoding='utf-8', check=False)
    assert run.returncode == 0 and not run.stderr, run.stderr
    boxes, rows = [], set()
    for group in xml.etree.ElementTree.fromstring(run.stdout).iter(f'{SVG}g'):
        title, y = group.find(f'{SVG}title').text, float(group.find(f'{SVG}rect').get('y'))
        boxes.append((y, *TITLE.fullmatch(title).groups()))
        rows.add(y)
    depths = {y: depth for depth, y in enumerate(sorted(rows, reverse=True))}
    figures, changes = collections.Counter(), collections.Counter()
    for y, name, figure, change in boxes:
        figures[depths[y], name] += int(figure.replace(',', ''))
        changes[depths[y], name] += float(change or 0)
    return figures, changes


def figures_of(rows, column):
    """The same figures, from rows."""
    figures = collections.Counter()
    for row in rows:
        path = ['all', *map(as_drawn, [row['process'], *reversed(row['frames'])])]
        for key in enumerate(path):
            figures[key] += round(row[column] * (1e9 if column.endswith('_seconds') else 1))
    return figures


def compare(folded, rows, column):
    shown, _ = boxes_of(folded)
    expected = figures_of(rows, column)
    assert +shown == +expected, (shown - expected).most_common(3) + (expected - shown).most_common(3)
    return shown


def compare_diff(folded, rows, column):
    """Counts of whole runs (--per=run). A stack that is gone has no width, and flamegraph.pl then may
    draw no box for one of the same name beside it: those that it draws are not larger."""
    shown, changes = boxes_of(folded)
    expected = figures_of(rows, 'new_' + column)
    assert shown[0, 'all'] == expected[0, 'all'], (shown[0, 'all'], expected[0, 'all'])
    assert not shown - expected, (shown - expected).most_common(3)
    assert any(row['change_' + column] for row in rows) == any(changes.values()), 'changes'
    return shown


def main():
    if sys.argv[1:] == ['--find']:
        print(find_program() or '')
        return 0 if find_program() else 1
    is_diff = sys.argv[1] == '--diff'
    folded, rows_file, column = sys.argv[1 + is_diff:]
    with open(rows_file, encoding='utf-8') as file:
        rows = [json.loads(line) for line in file]
    shown = (compare_diff if is_diff else compare)(folded, rows, column)
    assert shown[0, 'all'] > 0 and len(shown) > 3, shown
    print(f'{shown[0, "all"]:,}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
