#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""speedscope.py PACKAGE FOLDER: opens each NAME.json of a folder in speedscope, and compares what it shows
with the rows in NAME.rows: the sum of each profile, and of the figures that "Sandwich" lists first.
Prints a line "ok ..." or "not ok ..." for each file."""
import collections
import functools
import http.server
import json
import pathlib
import re
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cli'))
from browser import Browser, BrowserError  # noqa: E402

# What speedscope shortens figures to.
UNITS = {'': 1, 'B': 1, 'KB': 1 << 10, 'MB': 1 << 20, 'GB': 1 << 30,
         'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}
ROWS = "[...document.querySelectorAll('tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))"
FUNCTIONS_MIN = 3


class Handler(http.server.SimpleHTTPRequestHandler):
    """The page, and our files below /profiles/. Nothing is printed."""

    def __init__(self, *arguments, profiles, **more):
        self.profiles = profiles
        super().__init__(*arguments, **more)

    def translate_path(self, path):
        if path.startswith('/profiles/'):
            return str(self.profiles / pathlib.PurePosixPath(path).name)
        return super().translate_path(path)

    def log_message(self, *_):
        pass


def is_shown_as(text, figure):
    """Whether a text such as "1.78 MB (2%)" is the rounded figure."""
    match = re.match(r'([0-9,]+)(?:\.([0-9]+))? ?([a-zA-Zµ]*)', text)
    unit = UNITS[match[3]]
    decimals = len(match[2] or '')
    shown = float(match[1].replace(',', '') + '.' + (match[2] or '0')) * unit
    return abs(shown - figure) <= 0.51 * unit / 10 ** decimals if decimals else shown == figure


def figure_of(row, column):
    return round(row[column] * (1e9 if column.endswith('_seconds') else 1))


def column_of(profile, rows):
    """The column of the rows that a profile shows: that with its sum, if there is only one."""
    sums = {column: sum(figure_of(row, column) for row in rows) for column, value in rows[0].items()
            if isinstance(value, (int, float)) and 'percent' not in column}
    return [column for column, total in sums.items() if total == profile['endValue']]


def functions_of(rows, column):
    """The figure of each name itself, and with what it calls, counted once in each stack."""
    own, all_in = collections.Counter(), collections.Counter()
    for row in rows:
        path = [row['process'], *row['frames'][::-1]]
        own[path[-1]] += figure_of(row, column)
        for name in set(path):
            all_in[name] += figure_of(row, column)
    return own, all_in


def check_sums(document, shown):
    """The list of profiles: number, name, sum."""
    listed = [row[1:] for row in shown if len(row) == 3 and row[0].isdigit()]
    names = [profile['name'] for profile in document['profiles']]
    if len(names) > 1:
        assert [name for name, _ in listed] == names, listed
    for (name, text), profile in zip(listed, document['profiles']):
        assert is_shown_as(text, profile['endValue']), (name, text, profile['endValue'])


def check_functions(document, rows, shown):
    """The table of "Sandwich": all in all, itself, name. Names of several files are several lines."""
    profile = document['profiles'][document['activeProfileIndex']]
    columns = column_of(profile, rows)
    assert columns, ('no such sum', profile['name'], profile['endValue'])
    own, all_in = functions_of(rows, columns[0])
    counts = collections.Counter(frame['name'] for frame in document['shared']['frames'])
    compared = 0
    for total, itself, name in (row for row in shown if len(row) == 3 and not row[0].isdigit()):
        if counts[name] == 1:
            assert is_shown_as(total, all_in[name]), (name, total, all_in[name])
            assert is_shown_as(itself, own[name]), (name, itself, own[name])
            compared += 1
    assert compared >= min(FUNCTIONS_MIN, len(counts)), shown
    return compared


def check(browser, address, path):
    """Returns what was compared; an AssertionError says what differs."""
    document = json.loads(path.read_text(encoding='utf-8'))
    lines = path.with_suffix('.rows').read_text(encoding='utf-8').splitlines()
    rows = [json.loads(line) for line in lines]
    active = document['profiles'][document['activeProfileIndex']]
    page = browser.open('/dev/null', width=1400, height=1000)
    page.load(f'{address}/index.html#profileURL={address}/profiles/{path.name}')
    page.wait_for(f'document.body.innerText.includes({json.dumps(active["name"])})')
    page.press('3')
    page.wait_for("document.body.innerText.includes('Symbol Name')")
    shown = page.value(ROWS)
    check_sums(document, shown)
    compared = check_functions(document, rows, shown)
    exceptions = [text for text in page.complaints if text.startswith('exception')]
    assert not exceptions, exceptions
    page.close()
    return f'{active["name"]}: {len(document["profiles"])} sums, {compared} functions'


def main():
    package, profiles = map(pathlib.Path, sys.argv[1:])
    version = json.loads((package / 'package.json').read_text(encoding='utf-8'))['version']
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(
        Handler, directory=str(package / 'dist/release'), profiles=profiles))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Browser() as browser:
        print(f'speedscope {version}, {browser.command("Browser.getVersion")["product"]}')
        for path in sorted(profiles.glob('*.json')):
            try:
                what = check(browser, f'http://127.0.0.1:{server.server_address[1]}', path)
                print(f'ok {path.stem}: {what}', flush=True)
            except (AssertionError, BrowserError) as error:
                print(f'not ok {path.stem}\n  {error}', flush=True)


if __name__ == '__main__':
    main()
