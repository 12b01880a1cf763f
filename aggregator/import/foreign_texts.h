/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

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
