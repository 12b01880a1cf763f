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

/* All formats, NULL-terminated, the most specific first. */
extern const ImportType *const import_types[];

/* Returns the format of an input that begins with this text, or NULL. */
const ImportType *import_type_recognise(const char *text, size_t length);

/* A text that is known, but not read. */
typedef struct {
	const char *begins;   /* a line begins so, behind blanks; NULL: with anything */
	const char *contains; /* ... and has this text after that; NULL: any */
	const char *what;     /* "a copy of /proc/slabinfo" */
	const char *remedy;   /* NULL: none */
} ForeignText;

/* Returns why a folder is refused and what to do, NULL: not known. The caller frees it. */
char *foreign_folder_find(const char *folder);

/* Returns what a text that begins with these bytes is, NULL: not known. Texts with stacks would
   else be taken for those of allocations. */
const ForeignText *foreign_text_find(const char *text, size_t length);
