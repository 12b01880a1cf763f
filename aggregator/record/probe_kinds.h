/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The kinds of events that can be observed, in one table. Its users: options and help text, both
 * collectors, the importer of perf script, --check, and the facts of a stream. The emitter uses the
 * bits of the same definitions in format.h.
 *
 * To add a kind: see "To add a kind of event" in doc/ARCHITECTURE.md.
 */

/* The kinds that the program's code tests for. */
typedef enum {
	PROBE_KMALLOC = KMT_EVENTS_OF(KMT_SOURCE_KMALLOC),
	PROBE_CACHE = KMT_EVENTS_OF(KMT_SOURCE_CACHE),
	PROBE_PAGE = KMT_EVENTS_OF(KMT_SOURCE_PAGE),
	PROBE_FREE = KMT_EVENTS_FREE,
	PROBE_PERCPU = KMT_EVENTS_OF(KMT_SOURCE_PERCPU),
	PROBE_VMALLOC = KMT_EVENTS_OF(KMT_SOURCE_VMALLOC),
} ProbeKindBit;

/* Data that the record of a tracepoint may contain. */
typedef enum {
	PROBE_COMMON_FLAGS,
	PROBE_CALL_SITE,
	PROBE_POINTER, /* address of an object, or of struct page on kernels without pfn */
	PROBE_PAGE_NUMBER,
	PROBE_BYTES_REQUESTED,
	PROBE_BYTES_ALLOCATED,
	PROBE_PAGE_ORDER,
	PROBE_GFP_FLAGS,
	PROBE_NODE,
	PROBE_MEMBERS
} ProbeMember;

/* A tracepoint. */
typedef struct {
	const char *name;  /* NULL ends a list */
	const char *group; /* its folder in tracefs, below events */
	uint8_t source;    /* enum KmtSource */
	uint8_t kind;      /* enum KmtOriginKind of its events */
	bool is_free;
	bool is_optional; /* kernels without it use another tracepoint of the kind */
	uint32_t members; /* expected members: bits by ProbeMember */
} ProbePoint;

/* A value of --events. */
typedef struct {
	unsigned bit;
	const char *name;         /* as given to --events; NULL ends the table */
	const char *covers;       /* allocator paths, for the report; NULL: not allocations */
	bool of_caches;           /* its objects may belong to slab caches */
	const char *script;       /* SystemTap's probes, in stap/ */
	const ProbePoint *points; /* for perf events; required unless is_optional */
} ProbeKind;

extern const ProbeKind probe_kinds[];

/* Whether a point of a kind is observed if these events are requested. held: frees are paired with
   their allocations, so the frees from every requested source are observed, too. The ends of ranges
   (KMT_KIND_RANGE) are observed only if their allocations are. */
bool probe_point_is_observed(const ProbeKind *kind, const ProbePoint *point, unsigned events,
			     bool held);

/* Returns the names of the kinds, as "kmalloc,cache"; the caller frees the text. */
char *probe_kinds_names(unsigned bits);

/* Returns the bits of all kinds whose objects may belong to slab caches. */
unsigned probe_kinds_of_caches(void);

/* Parses such a list. If a name begins with '+', the list extends the default. Returns false with
   error set if a name is unknown. */
bool probe_kinds_parse(const char *list, unsigned default_bits, unsigned *bits, GError **error);

/* Returns the text of --events in --help: the names of the default and of the other available
   kinds. The caller frees the text. */
char *probe_kinds_help(unsigned default_bits, unsigned offered_bits);
