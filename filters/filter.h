/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of one stack, or of a row of a table. */
typedef struct {
	uint64_t allocations; /* that succeeded */
	uint64_t failed;      /* allocations that returned NULL */
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
	/* Checks the argument and prepares the state. Returns false with error set when it is no
	   valid value; the message names what is wrong, not the option. */
	bool (*prepare)(Filter *filter, GError **error);
	/* A condition on numbers, which can judge rows of a table, too: whether the stack stays.
	   NULL: it is one on frames. */
	bool (*keeps)(const Filter *filter, const StackSummary *sums);
	/* A condition on frames: whether one meets it, by its line as printed, without an end. */
	bool (*matches)(const Filter *filter, const char *line);
	/* Any frame that matches drops its stack; else a stack needs one to stay. */
	bool drops_matches;
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
