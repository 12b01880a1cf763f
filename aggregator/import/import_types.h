/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/import.h"

/* <hashkey> stacks </hashkey> <hashval>N</hashval> */
extern const ImportType import_hashkey;

/* "This path seen N times:" and its stack: a report of kmalloc-top or of the Perl tool */
extern const ImportType import_report;

/* print_stack() and print_backtrace() text, with count lines or one stack per event */
extern const ImportType import_count_text;

/* output of slab.stp in SystemTap's wiki: numbers by process, and stacks */
extern const ImportType import_slab_text;

/* output of `perf script` for kmem allocation samples */
extern const ImportType import_perf_script;

/* The kernel's own records of what is held: /proc/allocinfo, and debugfs's alloc_traces of a slab
   cache and page_owner */
extern const ImportType import_allocinfo;
extern const ImportType import_alloc_traces;
extern const ImportType import_page_owner;
