/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/group_columns.h"

static Value number(uint64_t number)
{
	return (Value){ .known = true, .number = number };
}

static Value allocations(const ReportModel *model, const GroupRow *row)
{
	(void)model;
	return number(row->summary.allocations);
}

/* Of what the table is ranked by, of all rows together. */
static Value share(const ReportModel *model, const GroupRow *row)
{
	const SortKey *key = view_sort_key(model->source->options);

	return (Value){ .known = true,
			.number = key->value(&row->summary),
			.other = key->value(model_all_sums(model)) };
}

static bool is_sampled(const ReportModel *model)
{
	return model->view->variance.allocations > 0;
}

/* Likewise of what the table is ranked by. */
static Value margin(const ReportModel *model, const GroupRow *row)
{
	const SortKey *key = view_sort_key(model->source->options);

	return (Value){ .known = true,
			.percent = margin_percent(key->variance(&row->variance),
						  key->value(&row->summary)) };
}

static Value bytes_requested(const ReportModel *model, const GroupRow *row)
{
	(void)model;
	return number(row->summary.bytes_requested);
}

static Value bytes_allocated(const ReportModel *model, const GroupRow *row)
{
	(void)model;
	return number(row->summary.bytes_allocated);
}

static Value bytes_wasted(const ReportModel *model, const GroupRow *row)
{
	(void)model;
	return number(sort_key_lookup("waste")->value(&row->summary));
}

static bool any_failed(const ReportModel *model)
{
	return model->groups->before.failed > 0;
}

static Value failed(const ReportModel *model, const GroupRow *row)
{
	(void)model;
	return number(row->failed);
}

const GroupColumn group_columns[] = {
	{ "allocations", "ALLOCATIONS", "ALLOCATIONS", VALUE_COUNT, NULL, NULL, allocations },
	{ "share_percent", "SHARE%", "SHARE%", VALUE_SHARE, NULL, NULL, share },
	{ "margin_percent", "+-%", "+-%", VALUE_PERCENT, is_sampled, NULL, margin },
	{ "bytes_requested", "REQUESTED-BYTES", "REQUESTED", VALUE_BYTES, model_has_bytes, NULL,
	  bytes_requested },
	{ "bytes_allocated", "ALLOCATED-BYTES", "ALLOCATED", VALUE_BYTES, model_has_bytes, NULL,
	  bytes_allocated },
	{ "bytes_wasted", "WASTED-BYTES", "WASTED", VALUE_BYTES, model_has_bytes, NULL,
	  bytes_wasted },
	{ "allocations_failed", "FAILED", "FAILED", VALUE_COUNT, NULL, any_failed, failed },
	{ NULL, NULL, NULL, VALUE_COUNT, NULL, NULL, NULL },
};
