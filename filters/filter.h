/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a filter may see of one stack: its text and its numbers, nothing else of the program.
 *
 * Everything is borrowed and lives as long as the profile view it came from.
 */
typedef struct {
	const char *text;     /* its frame lines as printed, each ended by '\n', innermost first */
	uint64_t allocations; /* that succeeded */
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
} StackSummary;

typedef struct FilterType FilterType;

/*
 * One condition that a stack must meet to stay in the report.
 *
 * Made by filter_new() from the text the user gave; freed by filter_free().
 */
typedef struct {
	const FilterType *type;
	char *argument; /* as the user gave it */
	void *state;    /* belongs to the type */
} Filter;

/* A kind of filter. To add one: a file with such a table, a line in filter_types.c. */
struct FilterType {
	const char *option; /* long option that creates it, without dashes: "exclude" */
	bool numbers_only;  /* it does not look at the text: it can judge rows of a table, too */
	/* Checks the argument and prepares the state. Returns false with error set when it is no
	   valid value; the message names what is wrong, not the option. */
	bool (*prepare)(Filter *filter, GError **error);
	/* Whether the stack stays. */
	bool (*keeps)(const Filter *filter, const StackSummary *stack);
	/* Frees the state; NULL where there is none. */
	void (*dispose)(void *state);
};

/* All kinds, ended by NULL, in the order in which a chain applies them. */
extern const FilterType *const filter_types[];

/* G_OPTION_ERROR-like domain of what prepare() reports. */
GQuark filter_error_quark(void);

/* Returns the type behind a long option, or NULL. */
const FilterType *filter_type_lookup(const char *option);

/* Returns a filter of that type, or NULL with error set. Free it with filter_free(). */
Filter *filter_new(const FilterType *type, const char *argument, GError **error);
void filter_free(Filter *filter);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Filter, filter_free)
