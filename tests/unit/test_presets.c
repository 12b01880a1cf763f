/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/preset_list.h"

#include "collect/tracefs/tracepoint_format.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

/* The presets in presets/, compared with the tracepoints of kernels in tests/data/probes. */
TEST_SUITE_WITHOUT_LEAKS(presets);

#define FORMATS TEST_DATA "/probes"

static const PresetFolders shipped = { TEST_DATA "/../../presets", "/nonexistent" };

static const char *const kernels[] = { "5.10", "6.1", "6.12", "6.18", "7.2" };

static const char *const names[] = { "brk",      "compaction", "extfrag",   "faults",  "ffaults",
				     "hugepage", "kswapd",     "majfaults", "malloc",  "migrate",
				     "mmap",     "oomkill",    "pages",     "pfaults", "reclaim",
				     "shmsnoop", "vmscan" };

Test(presets, all_are_read)
{
	g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) presets = preset_list(&shipped, problems);

	for (guint i = 0; i < problems->len; i++)
		cr_expect_fail("%s", (const char *)problems->pdata[i]);
	cr_assert_eq(presets->len, G_N_ELEMENTS(names));
	for (guint i = 0; i < presets->len; i++)
		cr_expect_str_eq(((const Preset *)presets->pdata[i])->name, names[i]);
}

/* Returns the format of a tracepoint on a kernel, or NULL if it was not stored. */
static TracepointFormat *read_format(const char *kernel, const ProbeSpec *spec)
{
	g_autofree char *file = g_strconcat(spec->name, ".format", NULL);
	g_autofree char *path = g_build_filename(FORMATS, kernel, spec->group, file, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	TracepointFormat *format;
	gsize length;

	if (spec->type != PROBE_TRACEPOINT || !g_file_get_contents(path, &text, &length, NULL))
		return NULL;
	format = tracepoint_format_parse(text, length, &error);
	cr_assert(format, "%s: %s", path, error ? error->message : "");
	return format;
}

/* Whether a field has what the expression uses it for. */
static bool has_use(const TracepointField *field, guint uses)
{
	if (uses & EXPRESSION_USES_NUMBER)
		return field->is_number;
	if (uses & EXPRESSION_USES_TEXT)
		return field->is_text;
	return field->is_number || field->is_text;
}

/* Returns the first name that is no field of the format, or NULL. */
static const char *unknown_name(const Expression *expression, const TracepointFormat *format)
{
	for (guint slot = 0; expression && slot < expression_names(expression); slot++) {
		const char *name = expression_name(expression, slot);
		const TracepointField *field =
			tracepoint_format_lookup(format, expression_field_name(name));

		if (g_str_equal(name, "latency"))
			continue;
		if (!field || !has_use(field, expression_name_uses(expression, slot)))
			return name;
	}
	return NULL;
}

static void expect_names(const Preset *preset, const PresetPoint *point, const char *kernel,
			 const PresetFormula *formula, const TracepointFormat *format)
{
	const char *unknown = unknown_name(formula->expression, format);

	cr_expect(!unknown, "%s: %s: %s: %s has no %s", kernel, preset->name, point->name,
		  formula->text, unknown);
}

/* Checks the formulas that are evaluated at the begin, or those at the end or at a single point. */
static void expect_formulas(const Preset *preset, const PresetPoint *point, const char *kernel,
			    bool is_begin, const TracepointFormat *format)
{
	if (is_begin) {
		expect_names(preset, point, kernel, &point->begin_where, format);
	} else {
		expect_names(preset, point, kernel, &point->weight, format);
		expect_names(preset, point, kernel, &point->where, format);
	}
	for (guint i = 0; i < point->values->len; i++) {
		const PresetValue *value = point->values->pdata[i];

		if (value->is_at_begin == is_begin && !value->is_optional)
			expect_names(preset, point, kernel, &value->formula, format);
	}
}

/* Returns how many formats were compared. */
static guint expect_fields(const Preset *preset, const PresetPoint *point, const char *kernel,
			   bool is_begin)
{
	GPtrArray *probes = is_begin ? point->begin : point->probe;
	guint compared = 0;

	for (guint i = 0; probes && i < probes->len; i++) {
		g_autoptr(TracepointFormat) format = read_format(kernel, probes->pdata[i]);

		if (!format)
			continue;
		expect_formulas(preset, point, kernel, is_begin, format);
		compared++;
	}
	return compared;
}

static guint expect_fields_of_all(const char *kernel)
{
	g_autoptr(GPtrArray) presets = preset_list(&shipped, NULL);
	guint compared = 0;

	for (guint i = 0; i < presets->len; i++) {
		const Preset *preset = presets->pdata[i];

		for (guint p = 0; p < preset->points->len; p++)
			compared += expect_fields(preset, preset->points->pdata[p], kernel, true) +
				    expect_fields(preset, preset->points->pdata[p], kernel, false);
	}
	return compared;
}

Test(presets, formulas_name_fields_that_each_kernel_has)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
		guint compared = expect_fields_of_all(kernels[i]);

		/* 27 tracepoints, of which 11 are system calls; a glob has no format. */
		cr_expect_eq(compared, g_str_equal(kernels[i], "6.18") ? 27 : 16, "%s: %u",
			     kernels[i], compared);
	}
}

/* Returns a column's value of the preset oomkill, for the fields of a kernel. */
static bool has_column(const char *kernel, const char *column)
{
	g_autoptr(Preset) preset = preset_find(&shipped, "oomkill", NULL);
	const PresetPoint *point = preset->points->pdata[0];
	g_autoptr(TracepointFormat) format = read_format(kernel, point->probe->pdata[0]);

	for (guint i = 0; i < point->values->len; i++) {
		const PresetValue *value = point->values->pdata[i];

		if (g_str_equal(value->column, column))
			return !unknown_name(value->formula.expression, format);
	}
	return false;
}

Test(presets, a_victim_has_more_columns_on_later_kernels)
{
	cr_expect(has_column("5.10", "VICTIM"));
	cr_expect_not(has_column("5.10", "NAME"));
	cr_expect(has_column("6.1", "NAME"));
	cr_expect(has_column("7.2", "PGTABLES_KB"));
}
