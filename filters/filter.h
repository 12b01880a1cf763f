/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sums of a stack, or of a row of a table. */
typedef struct {
	uint64_t allocations; /* that succeeded */
	uint64_t failed;      /* allocations that returned NULL */
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
} StackSummary;

typedef struct FilterType FilterType;

/*
 * A condition that a stack must meet to stay in the report.
 *
 * Created by filter_new() from the user's text; freed by filter_free().
 */
typedef struct {
	const FilterType *type;
	char *argument; /* as given by the user */
	void *state;    /* belongs to the type */
} Filter;

/* A kind of filter. To add one, add its functions and a row of the table in filter.c. */
struct FilterType {
	const char *option; /* long option that creates it, without dashes: "exclude" */
	/* Checks the argument and prepares the state. Returns false with error set if it is
	   invalid; the message describes the problem, without the option's name. */
	bool (*prepare)(Filter *filter, GError **error);
	/* A condition on sums, also used for rows of a table: whether the stack stays. NULL: a
	   condition on frames. */
	bool (*keeps)(const Filter *filter, const StackSummary *sums);
	/* A condition on frames: whether the frame line, as printed without line end, meets it. */
	bool (*matches)(const Filter *filter, const char *line);
	/* true: any matching frame drops the stack; false: the stack stays if a frame matches. */
	bool drops_matches;
	/* Frees the state. */
	void (*dispose)(void *state);
};

/* All kinds, ended by one without option, in the order in which a chain applies them. */
extern const FilterType filter_types[];

/* G_OPTION_ERROR-like domain for errors of prepare(). */
GQuark filter_error_quark(void);

/* Returns the items of a list of literal texts, separated by commas; free it with g_strfreev().
   Empty items are ignored, so a list of only commas is empty. */
char **item_list_parse(const char *list);

/* Returns the type of a long option, or NULL. */
const FilterType *filter_type_lookup(const char *option);

/* Returns a filter of that type, or NULL with error set. Free it with filter_free(). */
Filter *filter_new(const FilterType *type, const char *argument, GError **error);
void filter_free(Filter *filter);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Filter, filter_free)
