/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "symbols/code_objects.h"

#include <glib.h>
#include <stdbool.h>

/* A place in code. */
typedef struct {
	uint64_t offset;  /* as in lines */
	uint64_t address; /* of a program: as in its debug data */
} LinesPlace;

/* What is wanted of one object in a file. Everything is borrowed. */
typedef struct {
	CodeKind kind;
	const char *key;     /* of the lines */
	const char *section; /* of a module */
	GArray *places;      /* (element-type LinesPlace) */
} LinesRequest;

/* The file that a debug file may refer to (debug_object_supplement()). */
typedef enum {
	SUPPLEMENT_UNKNOWN, /* whether there is one is not known */
	SUPPLEMENT_MISSING, /* it was not found: do without it */
	SUPPLEMENT_GIVEN,
} Supplement;

/* A file to read, and what is wanted of it. Everything is borrowed. */
typedef struct {
	int fd;
	Supplement supplement;
	int supplement_fd;    /* if it is given */
	const char *build_id; /* hexadecimal; a file with another one is refused */
	const LinesRequest *requests;
	guint count;         /* of requests */
	unsigned patience_s; /* reading may take this long */
} LinesJob;

enum { LINES_PATIENCE_S = 60 };

typedef enum {
	LINES_FOUND,      /* the file is the right one, and was read */
	LINES_OTHER_FILE, /* it has another build id, or none */
	LINES_NO_DEBUG,   /* it has no debug data, or is no ELF file */
	LINES_REFERS,     /* it refers to another file, which is not the given one */
	LINES_FAILED,     /* the process took too long, wrote too much, or ended early */
} LinesResult;

/* The outcome of reading a file. */
typedef struct {
	LinesResult result;
	/* Of the file, if LINES_OTHER_FILE; of the one it refers to, if LINES_REFERS; NULL: it has
	   none; owned. */
	char *build_id;
	char *supplement; /* where that one is, if LINES_REFERS; owned */
	char *problem;    /* if LINES_FAILED; owned */
} LinesOutcome;

/* Frees its texts. */
void lines_outcome_clear(LinesOutcome *outcome);

/* Takes what the process answered, which may be anything: appends the lines of places that were
   asked for. */
LinesOutcome lines_answer_take(GString *out, TextPart answer, const LinesJob *job);

/*
 * Reads the lines of places in one file in a process without rights (process/child_sandbox.h),
 * because files are untrusted. The process has bounded time and memory, and its answer is checked.
 */

/* Appends the lines (line_table.h) of the places in a file. */
LinesOutcome lines_child_read(GString *out, const LinesJob *job);
