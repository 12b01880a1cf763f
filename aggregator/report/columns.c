/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/columns.h"

#include "report/facts.h"
#include "number_text.h"

#include <string.h>

static void append_allocations(const Report *report, const GroupRow *row, GString *out)
{
	(void)report;
	append_count(out, row->summary.allocations);
}

/* Of what the table is ranked by, of all rows together. */
static void append_share(const Report *report, const GroupRow *row, GString *out)
{
	const SortKey *key = view_sort_key(report->options);

	append_percent(out, key->value(&row->summary), key->value(&report->groups->before.summary));
	/* The title has the sign. */
	g_string_truncate(out, out->len - strlen(" %"));
}

static bool is_sampled(const Report *report)
{
	return report->view->variance.allocations > 0;
}

/* Likewise of what the table is ranked by. */
static void append_margin_of(const Report *report, const GroupRow *row, GString *out)
{
	const SortKey *key = view_sort_key(report->options);

	append_margin(out,
		      margin_percent(key->variance(&row->variance), key->value(&row->summary)));
}

static void append_requested(const Report *report, const GroupRow *row, GString *out)
{
	append_amount(out, row->summary.bytes_requested, report->human);
}

static void append_allocated(const Report *report, const GroupRow *row, GString *out)
{
	append_amount(out, row->summary.bytes_allocated, report->human);
}

static void append_wasted(const Report *report, const GroupRow *row, GString *out)
{
	append_amount(out, sort_key_lookup("waste")->value(&row->summary), report->human);
}

static bool any_failed(const Report *report)
{
	return report->groups->before.failed > 0;
}

static void append_failed(const Report *report, const GroupRow *row, GString *out)
{
	(void)report;
	append_count(out, row->failed);
}

const Column columns[] = {
	{ "ALLOCATIONS", "ALLOCATIONS", NULL, append_allocations },
	{ "SHARE%", "SHARE%", NULL, append_share },
	{ "+-%", "+-%", is_sampled, append_margin_of },
	{ "REQUESTED-BYTES", "REQUESTED", bytes_are_known, append_requested },
	{ "ALLOCATED-BYTES", "ALLOCATED", bytes_are_known, append_allocated },
	{ "WASTED-BYTES", "WASTED", bytes_are_known, append_wasted },
	{ "FAILED", "FAILED", any_failed, append_failed },
	{ NULL, NULL, NULL, NULL },
};
