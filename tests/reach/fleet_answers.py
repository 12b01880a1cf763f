#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers the questions of doc/FLEETS.md from the tables of `kmalloc-top -i FOLDER --by=... --format=ndjson`,
without a database.  Usage: fleet_answers.py QUESTION FIRST LAST [CONTAINERS], where FIRST and LAST are the rows of
the first and the last recordings of all hosts.  Prints what the query prints, without columns of rates."""
import collections
import json
import re
import sys

CALL_SITE = "alloc_empty_file [kernel]"


def rows(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def show(answers):
    for answer in answers[:20]:
        print("\t".join(str(part) for part in answer))


def by_host(table):
    sums = collections.Counter()
    for row in table:
        sums[row["host"]] += row["bytes_allocated"] if row["callsite"] == CALL_SITE else 0
    return sums


def top_call_sites(first, last):
    size, count, hosts = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for row in first + last:
        size[row["callsite"]] += row["bytes_allocated"]
        count[row["callsite"]] += row["allocations"]
        hosts[row["callsite"]].add(row["host"])
    show(sorted(((site, size[site], count[site], len(hosts[site])) for site in size), key=lambda a: (-a[1], a[0])))


def growth(first, last):
    before, after = by_host(first), by_host(last)
    grown = [(host, after[host] - before[host]) for host in after if after[host] > 1.5 * before[host]]
    show([(host,) for host, _ in sorted(grown, key=lambda a: (-a[1], a[0]))])


def kernels(first, last):
    size, hosts = collections.Counter(), collections.defaultdict(set)
    for row in first + last:
        size[row["kernel_release"]] += row["bytes_allocated"] if row["callsite"] == CALL_SITE else 0
        hosts[row["kernel_release"]].add(row["host"])
    show(sorted((kernel, len(hosts[kernel]), size[kernel]) for kernel in size))


def images(first, last, containers):
    image_of = {}
    with open(containers) as lines:
        for line in lines:
            host, container, image = line.rstrip("\n").split("\t")
            image_of[host, container] = image
    size, hosts = collections.Counter(), collections.defaultdict(set)
    for row in first + last:
        container = re.search("[0-9a-f]{64}", row["cgroup"])
        if container:
            image = image_of.get((row["host"], container.group()), "")
            size[image] += row["bytes_allocated"]
            hosts[image].add(row["host"])
    show(sorted(((image, len(hosts[image]), size[image]) for image in size), key=lambda a: (-a[2], a[0])))


def leaks(first, last):
    held = [collections.Counter(), collections.Counter()]
    for part, table in enumerate((first, last)):
        for row in table:
            held[part][row["host"], row["callsite"], row["cache"]] += row["bytes_allocated"]
    hosts, grown = collections.Counter(), collections.Counter()
    for key in set(held[0]) | set(held[1]):
        # A call site that holds nothing has no row: the query compares the recordings that have one.
        before, after = held[0][key] or held[1][key], held[1][key] or held[0][key]
        if after > 1.5 * before:
            hosts[key[1:]] += 1
            grown[key[1:]] += after - before
    show(sorted(((*key, hosts[key], grown[key]) for key in hosts), key=lambda a: (-a[3], a[0], a[1])))


QUESTIONS = {
    "top-call-sites": top_call_sites,
    "growth": growth,
    "kernels": kernels,
    "images": images,
    "leaks": leaks,
}
QUESTIONS[sys.argv[1]](rows(sys.argv[2]), rows(sys.argv[3]), *sys.argv[4:])
