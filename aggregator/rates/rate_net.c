/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table of the reasons for which the net of a cache is unknown, with their words for people
 * and programs.
 */
#include "rates/rate_net.h"

enum { NAMES_MAX = 4 };

static const struct {
	const char *word;
	const char *reason;
} words[RATE_NETS] = {
	[RATE_NET_UNCONFIRMED] = { "no_free_seen",
				   "no free was seen, and /proc/slabinfo shows no growth" },
	[RATE_NET_CONTRADICTED] = { "slabinfo_differs",
				    "not all frees are seen, /proc/slabinfo differs" },
	[RATE_NET_UNNAMED] = { "kfree_names_no_cache",
			       "kfree() does not say which cache (--collector=stap does)" },
	[RATE_NET_FILTERED] = { "processes_filtered",
				"others may free what these processes allocate" },
	[RATE_NET_SAMPLED] = { "sampled", "allocations and frees are sampled apart" },
	[RATE_NET_NOT_COLLECTED] = { "frees_not_collected", "frees were not collected" },
};

bool rate_net_is_shown(const Metric *const *columns)
{
	while (*columns && *columns != &metrics[METRIC_NET])
		columns++;
	return *columns;
}

const char *rate_net_word(RateNet state)
{
	return words[state].word;
}

/* Appends "NET - of dentry, filp, 3 more (not in the sum): ...". */
void rate_net_append_reasons(GString *out, const RateTable *table, const char *end)
{
	bool is_partial = table->sum.net_state == RATE_NET_KNOWN;

	for (RateNet state = RATE_NET_KNOWN + 1; state < RATE_NETS; state++) {
		g_autoptr(GString) names = g_string_new(" of ");
		guint count = 0;

		for (guint i = 0; i < table->rows->len; i++) {
			const RateRow *row = &g_array_index(table->rows, RateRow, i);

			if (row->net_state == state && count++ < NAMES_MAX)
				g_string_append_printf(names, "%s%s", count > 1 ? ", " : "",
						       row->label);
		}
		if (!count)
			continue;
		if (count > NAMES_MAX)
			g_string_append_printf(names, ", %u more", count - NAMES_MAX);
		g_string_append_printf(
			out, "NET -%s%s: %s%s", state < RATE_NET_FILTERED ? names->str : "",
			is_partial ? " (not in the sum)" : "", words[state].reason, end);
	}
}
