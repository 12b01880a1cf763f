/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What can be observed: one table, which options and their help text, both collectors, the importer
 * of perf script, --check and the facts of a stream read. The emitter is given the bits of the
 * kinds, and has them from the same definitions of format.h.
 *
 * To add a kind: see "To add a kind of event" in doc/ARCHITECTURE.md.
 */

/* The bits of the kinds that the program's own code asks about. */
typedef enum {
	PROBE_KMALLOC = KMT_EVENTS_OF(KMT_SOURCE_KMALLOC),
	PROBE_CACHE = KMT_EVENTS_OF(KMT_SOURCE_CACHE),
	PROBE_PAGE = KMT_EVENTS_OF(KMT_SOURCE_PAGE),
	PROBE_FREE = KMT_EVENTS_FREE,
} ProbeKindBit;

/* What the record of a tracepoint may have. */
typedef enum {
	PROBE_COMMON_FLAGS,
	PROBE_CALL_SITE,
	PROBE_POINTER, /* an object's address, or that of a page's struct on kernels without pfn */
	PROBE_PAGE_NUMBER,
	PROBE_BYTES_REQUESTED,
	PROBE_BYTES_ALLOCATED,
	PROBE_PAGE_ORDER,
	PROBE_GFP_FLAGS,
	PROBE_NODE,
	PROBE_MEMBERS
} ProbeMember;

/* A tracepoint of the group kmem. */
typedef struct {
	const char *name; /* NULL ends a list */
	uint8_t source;   /* enum KmtSource */
	bool is_free;
	bool is_optional; /* kernels without it pass through another one of the kind */
	uint32_t members; /* bits by ProbeMember: what its record should have */
} ProbePoint;

/* What --events names. */
typedef struct {
	unsigned bit;
	const char *name;   /* as given to --events; NULL ends the table */
	const char *covers; /* allocator paths, for the report; NULL: these are no allocations */
	bool of_caches;     /* its objects may be of slab caches */
	const char *script; /* SystemTap's probes, in stap/ */
	const ProbePoint *points; /* that perf events read; the kernel needs those not optional */
} ProbeKind;

extern const ProbeKind probe_kinds[];

/* Returns their names, "kmalloc,cache"; the caller frees the text. */
char *probe_kinds_names(unsigned bits);

/* Returns all bits of kinds whose objects may be of slab caches. */
unsigned probe_kinds_of_caches(void);

/* Reads such a list. Returns false with error set when a name is unknown. */
bool probe_kinds_parse(const char *list, unsigned *bits, GError **error);

/* Returns what --help says of --events: the names of those that are the default, and of the others
   that are offered. The caller frees the text. */
char *probe_kinds_help(unsigned default_bits, unsigned offered_bits);
