/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <stdio.h>

/* A way to write reports: what --format accepts. To add one: a file render_NAME.c, a row in
   renderers.c. */
typedef struct Renderer {
	const char *name;
	const char *about; /* in the help text */
	bool whole_names;  /* no name is shortened */
	/* Writes a report of any kind; errors are left in the stream. */
	void (*render)(const ReportModel *model, FILE *out);
} Renderer;

/* All of them, ended by one without name; the first one is that without --format. */
extern const Renderer renderers[];

/* Returns the renderer of that name, or NULL. */
const Renderer *renderer_lookup(const char *name);
