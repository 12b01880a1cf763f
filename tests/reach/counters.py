#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""counters.py prometheus URL JSON: compares what a Prometheus server answers with our own JSON.
counters.py pcp PMINFO JSON: the same with the output of "pminfo -f".
counters.py falls URL SECONDS: fails if a counter of a Prometheus server fell in that time.

JSON is the output of slabratetop --json over the same events, with all rows and the columns below:
its intervals are added up here, independently of the program's own totals."""
import json
import re
import sys
import urllib.parse
import urllib.request

# Counters, then readings of the end of the last interval.
SUMS = {
    "allocations": "allocations_total",
    "bytes_requested": "requested_bytes_total",
    "bytes_allocated": "allocated_bytes_total",
    "frees": "frees_total",
}
READINGS = {
    "objects_in_use": "objects_in_use",
    "objects_held": "held_objects",
    "bytes_held": "held_bytes",
}
LABELS_MAX = 1000


def label_of(row):
    if row["cache"] is None:
        return "(unknown cache)"
    return row["cache"] + (" (by size)" if row["cache_by_size"] else "")


def add_rows(expected, interval):
    """Adds an interval; None stays None: what is unknown once has no counter."""
    for row in interval["rows"]:
        for member, metric in SUMS.items():
            if member not in row:
                continue
            key = (metric, label_of(row))
            before = expected.get(key, 0)
            unknown = row[member] is None or before is None
            expected[key] = None if unknown else before + row[member]


def expected_of(path):
    with open(path, encoding="utf-8") as file:
        intervals = [json.loads(line) for line in file]
    expected = {}
    for interval in intervals:
        add_rows(expected, interval)
    for row in intervals[-1]["rows"]:
        for member, metric in READINGS.items():
            if row.get(member) is not None:
                expected[metric, label_of(row)] = row[member]
    expected["events_lost_total", None] = sum(i["events_lost"] for i in intervals)
    expected["events_lost_max_total", None] = sum(i["events_lost_max"] for i in intervals)
    expected["sampling_period", None] = intervals[-1]["sampling_period"]
    return expected


def with_other(expected, answers):
    """Moves the caches that have no label into (other)."""
    labels = {label for metric, label in answers if metric == "allocations_total"}
    moved = {}
    for (metric, label), value in expected.items():
        if value is None:
            continue
        if label is not None and labels and label not in labels:
            label = "(other)"
        moved[metric, label] = moved.get((metric, label), 0) + value
    return moved, len(labels)


def ask(url, query):
    request = url + "/api/v1/query?" + urllib.parse.urlencode({"query": query})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["data"]["result"]


def answers_of_prometheus(url):
    answers = {}
    for sample in ask(url, '{__name__=~"slabratetop_.*"}'):
        metric = sample["metric"]["__name__"].replace("slabratetop_", "", 1)
        cache = sample["metric"].get("cache")
        mark = " (by size)" if sample["metric"].get("by_size") else ""
        answers[metric, cache and cache + mark] = float(sample["value"][1])
    return answers


def answers_of_pcp(path):
    answers = {}
    metric = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if found := re.match(r"openmetrics\.\w+\.slabratetop_(\w+)", line):
                metric = found[1]
            elif found := re.match(r' +inst \[(\d+) or "\1 cache:(.*)"\] value (\S+)$', line):
                cache, mark, _ = found[2].partition(" by_size:1")
                answers[metric, cache + (mark and " (by size)")] = float(found[3])
            elif found := re.match(r" +value (\S+)$", line):
                answers[metric, None] = float(found[1])
    return answers


def differences(answers, path):
    """Returns a line for each figure of our JSON that the answers do not have."""
    expected, labels = with_other(expected_of(path), answers)
    wrong = [f"{key}: {answers.get(key)}, not {value}"
             for key, value in sorted(expected.items(), key=str) if answers.get(key) != value]
    if labels > LABELS_MAX:
        wrong.append(f"{labels} labels")
    if len(expected) < 5:
        wrong.append(f"only {len(expected)} figures")
    return wrong


def compare(answers, path):
    wrong = differences(answers, path)
    print("\n".join(wrong[:10]) or "all figures are equal")
    return bool(wrong)


def falls(url, seconds):
    fallen = []
    for metric in sorted({metric for metric, _ in answers_of_prometheus(url)}):
        if metric.endswith("_total"):
            fallen += ask(url, f"resets(slabratetop_{metric}[{seconds}s]) > 0")
    grown = ask(url, f"changes(slabratetop_observed_seconds_total[{seconds}s])")
    changes = max((int(sample["value"][1]) for sample in grown), default=0)
    print([sample["metric"] for sample in fallen], changes, "changes")
    return bool(fallen) or changes < 3


def main():
    kind, source = sys.argv[1:3]
    if kind == "falls":
        return falls(source, sys.argv[3])
    answers = answers_of_prometheus(source) if kind == "prometheus" else answers_of_pcp(source)
    return compare(answers, sys.argv[3])


if __name__ == "__main__":
    sys.exit(main())
