/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A preset in memory: made here from probe points of the command line, changed by options, and
 * freed. preset_parse.c makes one from a file. The collectors bind its points and formulas.
 */
#include "probes/preset.h"

#include "probes/preset_parts.h"

static void formula_clear(PresetFormula *formula)
{
	g_free(formula->text);
	g_free(formula->stap);
	expression_free(formula->expression);
	*formula = (PresetFormula){ 0 };
}

static void append_flags(const GArray *flags, uint64_t number, GString *out)
{
	enum {
		MODE_BITS = 0777
	}; /* what remains of flags is often an access mode, in octal digits */
	gsize start = out->len;

	for (guint i = 0; i < flags->len; i++) {
		const PresetName *flag = &g_array_index(flags, PresetName, i);

		if (!flag->number || (number & flag->number) != flag->number)
			continue;
		g_string_append_printf(out, "%s%s", out->len > start ? "|" : "", flag->name);
		number &= ~flag->number;
	}
	if (number || out->len == start)
		g_string_append_printf(out,
				       number > MODE_BITS ? "%s0x%" G_GINT64_MODIFIER "x"
				       : number           ? "%s0%" G_GINT64_MODIFIER "o"
							  : "%s%" G_GINT64_MODIFIER "u",
				       out->len > start ? "|" : "", number);
}

static const char *name_of(const GArray *names, uint64_t number)
{
	for (guint i = 0; i < names->len; i++)
		if (g_array_index(names, PresetName, i).number == number)
			return g_array_index(names, PresetName, i).name;
	return NULL;
}

void preset_value_append(const PresetValue *value, int64_t number, GString *out)
{
	enum { ERRNO_MAX = 4095 }; /* a system call returns an error as its negative number */
	const bool is_error = number < 0 && number >= -ERRNO_MAX;
	const char *name =
		value->show == PRESET_SHOW_NAME ? name_of(value->names, (uint64_t)number) : NULL;

	if (name)
		g_string_append(out, name);
	else if (value->show == PRESET_SHOW_FLAGS && !is_error)
		append_flags(value->names, (uint64_t)number, out);
	else if (value->show == PRESET_SHOW_HEX && !is_error)
		g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x", (uint64_t)number);
	else
		g_string_append_printf(out, "%" G_GINT64_FORMAT, number);
}

static void name_clear(gpointer name)
{
	g_free(((PresetName *)name)->name);
}

GArray *preset_names_new(void)
{
	GArray *names = g_array_new(FALSE, FALSE, sizeof(PresetName));

	g_array_set_clear_func(names, name_clear);
	return names;
}

static void value_free(PresetValue *value)
{
	g_free(value->column);
	g_clear_pointer(&value->names, g_array_unref);
	formula_clear(&value->formula);
	g_free(value);
}

static void probes_free(GPtrArray *probes)
{
	if (probes)
		g_ptr_array_unref(probes);
}

static void point_free(PresetPoint *point)
{
	g_free(point->name);
	probes_free(point->probe);
	probes_free(point->begin);
	probes_free(point->stap);
	probes_free(point->stap_begin);
	formula_clear(&point->weight);
	formula_clear(&point->where);
	formula_clear(&point->begin_where);
	g_ptr_array_unref(point->values);
	g_free(point->missing);
	g_free(point);
}

void preset_free(Preset *preset)
{
	if (!preset)
		return;
	g_free(preset->name);
	g_free(preset->title);
	g_free(preset->description);
	g_free(preset->noun);
	g_free(preset->nouns);
	g_free(preset->by);
	g_free(preset->user_stacks);
	g_strfreev(preset->columns);
	g_ptr_array_unref(preset->points);
	g_free(preset);
}

Preset *preset_new(void)
{
	Preset *preset = g_new0(Preset, 1);

	preset->points = g_ptr_array_new_with_free_func((GDestroyNotify)point_free);
	preset->collectors = PRESET_BY_PERF | PRESET_BY_STAP;
	return preset;
}

PresetPoint *preset_add_point(Preset *preset, const char *name)
{
	PresetPoint *point = g_new0(PresetPoint, 1);

	point->name = g_strdup(name);
	point->values = g_ptr_array_new_with_free_func((GDestroyNotify)value_free);
	g_ptr_array_add(preset->points, point);
	return point;
}

bool preset_formula_set(PresetFormula *formula, const char *text, GError **error)
{
	g_autoptr(Expression) expression = expression_parse(text, error);

	if (!expression)
		return false;
	formula_clear(formula);
	formula->text = g_strdup(text);
	formula->expression = g_steal_pointer(&expression);
	return true;
}

bool preset_set_weight(Preset *preset, const char *text, GError **error)
{
	for (guint i = 0; i < preset->points->len; i++) {
		PresetPoint *point = preset->points->pdata[i];

		if (!preset_formula_set(&point->weight, text, error))
			return false;
	}
	return true;
}

bool preset_set_where(Preset *preset, const char *text, GError **error)
{
	for (guint i = 0; i < preset->points->len; i++) {
		PresetPoint *point = preset->points->pdata[i];

		if (!preset_formula_set(&point->where, text, error))
			return false;
	}
	return true;
}

PresetValue *preset_point_value(const PresetPoint *point, const char *column)
{
	for (guint i = 0; i < point->values->len; i++) {
		PresetValue *value = point->values->pdata[i];

		if (g_str_equal(value->column, column))
			return value;
	}
	return NULL;
}

/* Adds a value to each point that has none with this name. */
static bool add_column(Preset *preset, const char *column, GError **error)
{
	if (g_strv_contains(preset_columns, column))
		return true;
	for (guint i = 0; i < preset->points->len; i++) {
		PresetPoint *point = preset->points->pdata[i];
		PresetValue *value;

		if (preset_point_value(point, column))
			continue;
		value = g_new0(PresetValue, 1);
		value->column = g_strdup(column);
		g_ptr_array_add(point->values, value);
		if (!preset_formula_set(&value->formula, column, error))
			return false;
	}
	return true;
}

bool preset_set_columns(Preset *preset, const char *text, GError **error)
{
	g_strfreev(preset->columns);
	preset->columns = g_strsplit(text, ",", -1);
	preset->view = PRESET_LIST;
	for (char **column = preset->columns; *column; column++)
		if (!add_column(preset, g_strstrip(*column), error))
			return false;
	return true;
}

static bool check_pair(const char *const *probes, const char *begin, GError **error)
{
	if (*probes && (!begin || !probes[1]))
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    *probes ? "a duration has one end: name one probe point"
			    : "no probe point: name one, for example t:kmem:mm_page_alloc");
	return false;
}

/* Perf events do not know SystemTap's own spelling. */
static bool is_stap_only(const GPtrArray *probes)
{
	for (guint i = 0; i < probes->len; i++)
		if (((const ProbeSpec *)probes->pdata[i])->type != PROBE_STAP)
			return false;
	return true;
}

Preset *preset_of_probes(const char *const *probes, const char *begin, GError **error)
{
	g_autoptr(Preset) preset = preset_new();

	if (!check_pair(probes, begin, error))
		return NULL;
	for (; *probes; probes++) {
		PresetPoint *point = preset_add_point(preset, *probes);

		point->probe = probe_alternatives_parse(*probes, error);
		if (!point->probe)
			return NULL;
		if (begin && !(point->begin = probe_alternatives_parse(begin, error)))
			return NULL;
		if (is_stap_only(point->probe) || (begin && is_stap_only(point->begin)))
			preset->collectors = PRESET_BY_STAP;
	}
	preset->view = begin ? PRESET_DURATIONS : PRESET_RANKED;
	preset->name = g_strdup("probes");
	preset->title = g_strdup("Probe points");
	preset->noun = g_strdup(begin ? "call" : "event");
	preset->nouns = g_strdup(begin ? "calls" : "events");
	return g_steal_pointer(&preset);
}
