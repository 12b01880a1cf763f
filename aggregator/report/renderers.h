/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <stdio.h>

/* An output format of reports: a value of --format. To add one: a file render_NAME.c, a row in
   renderers.c. */
typedef struct Renderer {
	const char *name;
	const char *about; /* for the help text */
	bool whole_names;  /* do not shorten names */
	/* Writes a report of any kind; write errors stay set in the stream. */
	void (*render)(const ReportModel *model, FILE *out);
} Renderer;

/* All renderers; the last entry has no name, the first is the default. */
extern const Renderer renderers[];

/* Returns the renderer with this name, or NULL. */
const Renderer *renderer_lookup(const char *name);
