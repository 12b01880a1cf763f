/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * Streams that somebody made to take a reader's time or memory: small for what each asks for.
 * The unit tests count what the reader does for them, the benchmark takes the time.
 */
typedef struct {
	const char *name;
	const char *what;
	/* Appends a stream of that many parts: frames, modules, headers, ids or batches. */
	void (*append)(GByteArray *out, unsigned parts);
	unsigned parts; /* as many as the benchmark takes */
} HostileShape;

/* Ended by one without a name. */
extern const HostileShape hostile_shapes[];

/* Returns a shape by its name; NULL: there is none. */
const HostileShape *hostile_shape_lookup(const char *name);

/* Returns the address of a frame that collides with those of all other numbers under multiplication
   by 2^64 divided by the golden ratio. */
guint64 hostile_frame(unsigned number);
