/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of tasks in rows: which kernel threads exist for each CPU or in pools, so that their names
 * count as one, and what interrupts are called.
 */
#include "table/task_name.h"

#include "record/event_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* A family of kernel threads: "NAME/" and the part that differs between its members. */
typedef struct {
	const char *name;
	bool any_rest; /* false: digits only */
} CommFamily;

static const CommFamily families[] = {
	/* "0:1", "u8:2-events_unbound", "1:0H": the worker of the pool, then its last work. */
	{ "kworker", true },      { "backlog_napi", false }, { "cpuhp", false },
	{ "idle_inject", false }, { "irq_work", false },     { "ksoftirqd", false },
	{ "ktimers", false },     { "migration", false },    { "rcub", false },
	{ "rcuc", false },        { "rcuog", false },        { "rcuop", false },
	{ "rcuos", false },       { "swapper", false },      { "watchdog", false },
};

size_t comm_folded_length(const char *comm)
{
	const char *slash = strchr(comm, '/');
	const char *rest = slash ? slash + 1 : "";
	size_t length = slash ? (size_t)(slash - comm) : 0;
	bool is_number = *rest && !rest[strspn(rest, "0123456789")];

	for (size_t i = 0; slash && i < G_N_ELEMENTS(families); i++)
		if (strlen(families[i].name) == length &&
		    !strncmp(comm, families[i].name, length) && (families[i].any_rest || is_number))
			return length;
	return strlen(comm);
}

const char *context_name(unsigned context)
{
	static const char *const names[KMT_CONTEXTS] = {
		[KMT_CONTEXT_TASK] = "task",
		[KMT_CONTEXT_SOFTIRQ] = "softirq",
		[KMT_CONTEXT_HARDIRQ] = "hardirq",
		[KMT_CONTEXTS - 1] = "interrupt",
	};

	return names[context % KMT_CONTEXTS];
}
