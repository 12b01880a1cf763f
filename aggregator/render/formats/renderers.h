/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <stdio.h>

/* The kinds of reports as bits. */
#define RENDERS(kind) (1U << (kind))

/* What a format is like. */
typedef enum {
	RENDER_WHOLE_NAMES = 1 << 0, /* does not shorten names */
	RENDER_STACKS = 1 << 1,      /* shows stacks, so there is nothing to group with --by */
	RENDER_ONCE = 1 << 2,        /* a second report cannot follow in the same file */
	RENDER_BINARY = 1 << 3,      /* no text */
	RENDER_CODE = 1 << 4,        /* needs the files with code (model->code) */
	RENDER_TOTALS = 1 << 5,      /* of intervals: shows all caches, summed up over the run */
	RENDER_CHART = 1 << 6,       /* shows the run over time (ReportSource.chart) */
	RENDER_STACKS_COMPARED = 1 << 7, /* in comparisons, parts do not divide the stacks */
	RENDER_RUNS = 1 << 8,            /* each row is of one run */
	RENDER_TO_FILE = 1 << 9,         /* not for terminals */
} RenderTrait;

/* An output format of reports: a value of --format. To add one: a file render_NAME.c, a row in
   renderers.c, a section of doc/FORMATS.md. */
typedef struct Renderer {
	const char *name;
	const char *about; /* for the help text */
	unsigned reports;  /* RENDERS() of each kind that it can write */
	unsigned traits;   /* RenderTrait */
	/* Unless --by is given: by which keys it divides the stacks (model->parts); NULL: not. */
	const char *parts;
	/* Writes a report; write errors stay set in the stream. NULL: this build lacks a library
	   that it needs. */
	void (*render)(const ReportModel *model, FILE *out);
} Renderer;

/* All renderers; the last entry has no name, the first is the default. */
extern const Renderer renderers[];

/* Returns the renderer with this name, or NULL. */
const Renderer *renderer_lookup(const char *name);
