/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of contexts, for reports and rows. The dimension of contexts, tables and renderers share
 * them.
 */
#include "table/context_name.h"

#include "record/event_kinds.h"

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
