/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads key files into presets. Each key has a row in a table with the function that reads its
 * value. All errors name the file, the group and the key. The file is not trusted: sizes and counts
 * are bounded.
 */
#include "probes/preset_parts.h"

#include "base/escape.h"
#include "base/nearest.h"
#include "base/unconst.h"
#include "base/value.h"

#include <string.h>

enum {
	POINTS_MAX = 64,
	VALUES_MAX = 16, /* of a point */
	COLUMN_BYTES_MAX = 16,
	NAME_BYTES_MAX = 32,
	TEXT_BYTES_MAX = 4096,
};

#define POINT_PREFIX "point."
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALL_LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

const char *const preset_columns[] = { "time",   "process", "pid",     "tid", "cpu",
				       "cgroup", "point",   "latency", NULL };

typedef struct {
	const char *file;
	const char *group;
	const char *key;
	const char
		*rest; /* what follows the key's name in the table: of "value.PAGES" the column */
	GKeyFile *keys;
	Preset *preset;
	PresetPoint *point; /* of point groups */
	void *place;        /* of the value, if the key's row has it */
	GError **error;     /* never NULL */
} Reading;

/* A key: if its name ends with '.', any column may follow. */
typedef struct {
	const char *name;
	bool (*read)(Reading *reading, const char *value);
	size_t place; /* of the value in the preset or point, if its function uses that */
} Key;

#define TEXT_OF(row, member) MEMBER_AT(char *, row, member)
#define PROBES_AT(member) MEMBER_AT(GPtrArray *, PresetPoint, member)
#define FORMULA_AT(member) MEMBER_AT(PresetFormula, PresetPoint, member)

typedef struct {
	const char *name;
	int value;
} Choice;

/* Puts "FILE: [GROUP] KEY: " before the error. Returns false. */
static bool fail_here(const Reading *reading)
{
	g_prefix_error(reading->error, "%s: [%s] %s: ", reading->file, reading->group,
		       reading->key);
	return false;
}

static bool preset_parse_fail(const Reading *reading, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool preset_parse_fail(const Reading *reading, const char *format, ...)
{
	g_autofree char *reason = NULL;
	va_list values;

	va_start(values, format);
	reason = g_strdup_vprintf(format, values);
	va_end(values);
	g_set_error(reading->error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s", reason);
	return fail_here(reading);
}

static bool take_text(char **place, const char *value)
{
	g_free(*place);
	*place = g_strdup(value);
	return true;
}

static bool read_text(Reading *reading, const char *value)
{
	return take_text(reading->place, value);
}

static bool read_name(Reading *reading, const char *value)
{
	if (strspn(value, SMALL_LETTERS DIGITS "-_") < strlen(value) ||
	    strlen(value) > NAME_BYTES_MAX)
		return preset_parse_fail(reading,
					 "a name has at most %u small letters, digits, '-' and '_'",
					 NAME_BYTES_MAX);
	return take_text(&reading->preset->name, value);
}

static bool read_nouns(Reading *reading, const char *value)
{
	g_auto(GStrv) nouns = g_strsplit(value, ";", -1);

	if (g_strv_length(nouns) != 2 || !*nouns[0] || !*nouns[1])
		return preset_parse_fail(reading, "two nouns are needed, like \"stall;stalls\"");
	take_text(&reading->preset->noun, nouns[0]);
	return take_text(&reading->preset->nouns, nouns[1]);
}

/* Sets the value of the word, or fails with all words. */
static bool preset_parse_choose(const Reading *reading, const Choice *choices, const char *word,
				int *value)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (const Choice *choice = choices; choice->name; choice++) {
		if (g_str_equal(choice->name, word)) {
			*value = choice->value;
			return true;
		}
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", choice->name);
	}
	return preset_parse_fail(reading, "\"%s\" is none of %s", word, names->str);
}

/* Sets the bits of the words between separators. */
static bool choose_some(const Reading *reading, const Choice *choices, const char *separator,
			const char *value, unsigned *bits)
{
	g_auto(GStrv) words = g_strsplit(value, separator, -1);
	int bit = 0;

	*bits = 0;
	for (char **word = words; *word; word++) {
		if (!preset_parse_choose(reading, choices, g_strstrip(*word), &bit))
			return false;
		*bits |= (unsigned)bit;
	}
	return true;
}

static bool read_view(Reading *reading, const char *value)
{
	static const Choice views[] = { { "ranked", PRESET_RANKED },
					{ "durations", PRESET_DURATIONS },
					{ "list", PRESET_LIST },
					{ NULL, 0 } };
	int view = 0;

	if (!preset_parse_choose(reading, views, value, &view))
		return false;
	reading->preset->view = (PresetView)view;
	return true;
}

static bool read_unit(Reading *reading, const char *value)
{
	static const Choice units[] = { { "bytes", PRESET_UNIT_BYTES },
					{ "pages", PRESET_UNIT_PAGES },
					{ "ns", PRESET_UNIT_NS },
					{ "none", PRESET_UNIT_NONE },
					{ NULL, 0 } };
	int unit = 0;

	if (!preset_parse_choose(reading, units, value, &unit))
		return false;
	reading->preset->unit = (PresetUnit)unit;
	return true;
}

static bool read_stacks(Reading *reading, const char *value)
{
	static const Choice stacks[] = { { "kernel", PRESET_STACKS_KERNEL },
					 { "user", PRESET_STACKS_USER },
					 { "both", PRESET_STACKS_BOTH },
					 { "none", PRESET_STACKS_NONE },
					 { NULL, 0 } };
	int chosen = 0;

	if (!preset_parse_choose(reading, stacks, value, &chosen))
		return false;
	reading->preset->stacks = (PresetStacks)chosen;
	return true;
}

static bool read_collectors(Reading *reading, const char *value)
{
	static const Choice collectors[] = { { "perf", PRESET_BY_PERF },
					     { "stap", PRESET_BY_STAP },
					     { NULL, 0 } };

	return choose_some(reading, collectors, ";", value, &reading->preset->collectors);
}

static bool read_needs(Reading *reading, const char *value)
{
	static const Choice needs[] = { { "command", PRESET_NEEDS_COMMAND },
					{ "pid", PRESET_NEEDS_PID },
					{ NULL, 0 } };

	return choose_some(reading, needs, "|", value, &reading->preset->needs);
}

static bool read_by(Reading *reading, const char *value)
{
	if (strspn(value, SMALL_LETTERS "-,") < strlen(value))
		return preset_parse_fail(reading,
					 "keys as of --by are needed, like \"point,process\"");
	return take_text(&reading->preset->by, value);
}

static bool read_user_stacks(Reading *reading, const char *value)
{
	if (!g_str_equal(value, "fp") && !g_str_equal(value, "none") &&
	    !g_str_equal(value, "dwarf") && !g_str_has_prefix(value, "dwarf,"))
		return preset_parse_fail(reading, "\"%s\" is none of fp, dwarf, dwarf,BYTES, none",
					 value);
	return take_text(&reading->preset->user_stacks, value);
}

static bool read_columns(Reading *reading, const char *value)
{
	g_strfreev(reading->preset->columns);
	reading->preset->columns = g_strsplit(value, ";", -1);
	for (char **column = reading->preset->columns; *column; column++)
		g_strstrip(*column);
	return true;
}

/* Formulas of all points are checked here, and set when the points are known. */
static bool check_formula(Reading *reading, const char *value)
{
	g_autoptr(Expression) expression = expression_parse(value, reading->error);

	return expression || fail_here(reading);
}

static const Key preset_keys[] = {
	{ "name", read_name, 0 },
	{ "title", read_text, TEXT_OF(Preset, title) },
	{ "description", read_text, TEXT_OF(Preset, description) },
	{ "view", read_view, 0 },
	{ "nouns", read_nouns, 0 },
	{ "weight", check_formula, 0 },
	{ "weight-unit", read_unit, 0 },
	{ "where", check_formula, 0 },
	{ "columns", read_columns, 0 },
	{ "by", read_by, 0 },
	{ "stacks", read_stacks, 0 },
	{ "user-stacks", read_user_stacks, 0 },
	{ "collectors", read_collectors, 0 },
	{ "needs", read_needs, 0 },
	{ NULL, NULL, 0 },
};

static bool read_probes(Reading *reading, const char *value)
{
	GPtrArray **place = reading->place;
	GPtrArray *probes = probe_alternatives_parse(value, reading->error);

	if (!probes)
		return fail_here(reading);
	if (*place)
		g_ptr_array_unref(*place);
	*place = probes;
	return true;
}

static bool read_stap_probes(Reading *reading, const char *value)
{
	GPtrArray *const *probes = reading->place;

	if (!read_probes(reading, value))
		return false;
	for (guint i = 0; i < (*probes)->len; i++)
		if (((const ProbeSpec *)(*probes)->pdata[i])->type != PROBE_STAP)
			return preset_parse_fail(reading,
						 "a probe point in SystemTap's spelling is needed, "
						 "like kernel.trace(\"NAME\")");
	return true;
}

static bool take_formula(Reading *reading, PresetFormula *formula, const char *value)
{
	g_autofree char *stap = g_steal_pointer(&formula->stap);

	if (!preset_formula_set(formula, value, reading->error))
		return fail_here(reading);
	formula->stap = g_steal_pointer(&stap);
	return true;
}

static bool read_formula(Reading *reading, const char *value)
{
	return take_formula(reading, reading->place, value);
}

/* An expression only: a brace or a semicolon would begin statements, '%' and '{' embedded C. */
static bool take_stap_formula(const Reading *reading, PresetFormula *formula, const char *value)
{
	const char *bad = strpbrk(value, "{};#\\`");

	if (!bad)
		bad = strstr(value, "%(");
	if (bad)
		return preset_parse_fail(reading, "'%c' is not part of an expression: remove it",
					 *bad);
	return take_text(&formula->stap, value);
}

static bool read_stap_formula(Reading *reading, const char *value)
{
	return take_stap_formula(reading, reading->place, value);
}

/* Returns the point's value of this column, a new one if there is none, or NULL with the error. */
static PresetValue *value_of(const Reading *reading, const char *column)
{
	PresetValue *value = preset_point_value(reading->point, column);

	if (value)
		return value;
	if (!g_ascii_isupper(*column) || strlen(column) > COLUMN_BYTES_MAX ||
	    strspn(column, CAPITALS DIGITS "_") < strlen(column)) {
		preset_parse_fail(
			reading,
			"a column has at most %u capitals, digits and '_', like value.PAGES",
			COLUMN_BYTES_MAX);
		return NULL;
	}
	if (reading->point->values->len == VALUES_MAX) {
		preset_parse_fail(reading, "a point has at most %u columns: remove some",
				  VALUES_MAX);
		return NULL;
	}
	value = g_new0(PresetValue, 1);
	value->column = g_strdup(column);
	g_ptr_array_add(reading->point->values, value);
	return value;
}

static bool take_value(Reading *reading, const char *text, bool is_at_begin)
{
	PresetValue *value = value_of(reading, reading->rest);

	if (!value)
		return false;
	if (value->formula.expression)
		return preset_parse_fail(reading, "the column %s has a formula already: remove one",
					 reading->rest);
	value->is_at_begin = is_at_begin;
	return take_formula(reading, &value->formula, text);
}

static bool read_value(Reading *reading, const char *text)
{
	return take_value(reading, text, false);
}

static bool read_begin_value(Reading *reading, const char *text)
{
	return take_value(reading, text, true);
}

static bool read_stap_value(Reading *reading, const char *text)
{
	PresetValue *value = value_of(reading, reading->rest);

	return value && take_stap_formula(reading, &value->formula, text);
}

static bool read_optional(Reading *reading, const char *value)
{
	g_auto(GStrv) columns = g_strsplit(value, ";", -1);

	for (char **column = columns; *column; column++) {
		PresetValue *optional = value_of(reading, g_strstrip(*column));

		if (!optional)
			return false;
		optional->is_optional = true;
	}
	return true;
}

static bool read_hex(Reading *reading, const char *value)
{
	g_auto(GStrv) columns = g_strsplit(value, ";", -1);

	for (char **column = columns; *column; column++) {
		PresetValue *shown = value_of(reading, g_strstrip(*column));

		if (!shown)
			return false;
		shown->show = PRESET_SHOW_HEX;
	}
	return true;
}

/* Reads "IPC_CREAT 0x200; IPC_EXCL 0x400". */
static bool take_names(Reading *reading, const char *text, PresetShow show)
{
	PresetValue *value = value_of(reading, reading->rest);
	g_auto(GStrv) parts = g_strsplit(text, ";", -1);

	if (!value)
		return false;
	g_clear_pointer(&value->names, g_array_unref);
	value->names = preset_names_new();
	value->show = show;
	for (char **part = parts; *part; part++) {
		g_auto(GStrv) words = g_strsplit(g_strstrip(*part), " ", 2);
		const char *number = *words && words[1] ? words[1] : "";
		char *end = NULL;
		const PresetName name = { NULL, g_ascii_strtoull(number, &end, 0) };

		if (!g_ascii_isdigit(*number) || *end)
			return preset_parse_fail(reading, "names and numbers are needed, like "
							  "\"IPC_CREAT 0x200;IPC_EXCL 0x400\"");
		g_array_append_val(value->names, name);
		g_array_index(value->names, PresetName, value->names->len - 1).name =
			g_strdup(*words);
	}
	return true;
}

static bool read_flags(Reading *reading, const char *text)
{
	return take_names(reading, text, PRESET_SHOW_FLAGS);
}

static bool read_names(Reading *reading, const char *text)
{
	return take_names(reading, text, PRESET_SHOW_NAME);
}

static const Key point_keys[] = {
	{ "probe", read_probes, PROBES_AT(probe) },
	{ "begin", read_probes, PROBES_AT(begin) },
	{ "end", read_probes, PROBES_AT(probe) },
	{ "weight", read_formula, FORMULA_AT(weight) },
	{ "where", read_formula, FORMULA_AT(where) },
	{ "begin.where", read_formula, FORMULA_AT(begin_where) },
	{ "value.", read_value, 0 },
	{ "begin.value.", read_begin_value, 0 },
	{ "optional", read_optional, 0 },
	{ "hex", read_hex, 0 },
	{ "flags.", read_flags, 0 },
	{ "names.", read_names, 0 },
	{ "stap", read_stap_probes, PROBES_AT(stap) },
	{ "stap.begin", read_stap_probes, PROBES_AT(stap_begin) },
	{ "stap.end", read_stap_probes, PROBES_AT(stap) },
	{ "stap.weight", read_stap_formula, FORMULA_AT(weight) },
	{ "stap.where", read_stap_formula, FORMULA_AT(where) },
	{ "stap.value.", read_stap_value, 0 },
	{ "missing", read_text, TEXT_OF(PresetPoint, missing) },
	{ NULL, NULL, 0 },
};

static const Key *find_key(const Key *keys, Reading *reading)
{
	for (; keys->name; keys++) {
		bool has_column = g_str_has_suffix(keys->name, ".");

		reading->rest = reading->key + strlen(keys->name);
		if (has_column ? g_str_has_prefix(reading->key, keys->name)
			       : g_str_equal(reading->key, keys->name))
			return keys;
	}
	return NULL;
}

static bool fail_unknown_key(const Reading *reading, const Key *keys)
{
	g_autoptr(Nearest) nearest = nearest_new(reading->key);
	g_autoptr(GString) names = g_string_new(NULL);

	for (const Key *key = keys; key->name; key++)
		nearest_offer(nearest, key->name, key->name);
	if (!nearest_append(nearest, names))
		for (const Key *key = keys; key->name; key++)
			g_string_append_printf(names, "%s%s", names->len ? ", " : "", key->name);
	return preset_parse_fail(reading, "unknown key; there is %s", names->str);
}

/* Reads one key of the current group. */
static bool read_key(Reading *reading, const Key *keys)
{
	const Key *key = find_key(keys, reading);
	g_autofree char *value =
		g_key_file_get_string(reading->keys, reading->group, reading->key, reading->error);

	/* Of a value with a wrong escape there is both. */
	if (!value || *reading->error)
		return fail_here(reading);
	if (!key)
		return fail_unknown_key(reading, keys);
	if (!*g_strstrip(value))
		return preset_parse_fail(reading,
					 "a value is missing: write one or remove the key");
	if (!escape_is_printable(value) || strlen(value) > TEXT_BYTES_MAX)
		return preset_parse_fail(reading, "a value has at most %u printable characters",
					 TEXT_BYTES_MAX);
	reading->place = (char *)(keys == point_keys ? (void *)reading->point : reading->preset) +
			 key->place;
	return key->read(reading, value);
}

static bool read_keys(Reading *reading, const char *group, const Key *keys)
{
	g_auto(GStrv) names = g_key_file_get_keys(reading->keys, group, NULL, NULL);

	reading->group = group;
	for (char **name = names; name && *name; name++) {
		g_autofree char *key = escape_copy(*name);

		reading->key = *name;
		if (!g_str_equal(key, *name)) {
			reading->key = key;
			return preset_parse_fail(reading, "the key is not printable: remove it");
		}
		if (!read_key(reading, keys))
			return false;
	}
	return true;
}

/* Gives the point the formulas of all points that it has no own ones for. */
static bool preset_parse_inherit(Reading *reading, const char *key, PresetFormula *formula)
{
	g_autofree char *value = g_key_file_get_string(reading->keys, "preset", key, NULL);

	return !value || formula->expression || take_formula(reading, formula, g_strstrip(value));
}

/* Fails with the point's group and this key. */
static bool fail_key(Reading *reading, const char *key, const char *reason)
{
	reading->key = key;
	return preset_parse_fail(reading, "%s", reason);
}

static bool has_key(const Reading *reading, const char *key)
{
	return g_key_file_has_key(reading->keys, reading->group, key, NULL);
}

static bool check_probes(Reading *reading)
{
	const PresetPoint *point = reading->point;
	bool is_pair = reading->preset->view == PRESET_DURATIONS || point->begin;

	if (is_pair && (!point->begin || !has_key(reading, "end")))
		return fail_key(reading, point->begin ? "end" : "begin",
				"a duration needs begin= and end=: write both");
	if (!is_pair && !has_key(reading, "probe"))
		return fail_key(reading, "probe",
				"no probe point: write probe=, or begin= and end=");
	if (is_pair && has_key(reading, "probe"))
		return fail_key(reading, "probe", "a pair has begin= and end=: remove this key");
	if (!is_pair && (point->begin_where.expression || point->stap_begin))
		return fail_key(reading, "begin", "only pairs have a begin: write begin= and end=");
	return true;
}

static bool check_values(Reading *reading)
{
	const PresetPoint *point = reading->point;

	for (guint i = 0; i < point->values->len; i++) {
		const PresetValue *value = point->values->pdata[i];
		g_autofree char *key = g_strconcat("value.", value->column, NULL);

		if (!value->formula.expression)
			return fail_key(reading, key, "the column has no formula: write one");
		if (value->is_at_begin && !point->begin)
			return fail_key(reading, key,
					"only pairs have a begin: write value. "
					"without begin.");
	}
	return true;
}

static bool read_point(Reading *reading, const char *group)
{
	const char *name = group + strlen(POINT_PREFIX);

	reading->group = group;
	if (!*name || strspn(name, SMALL_LETTERS CAPITALS DIGITS "-_") < strlen(name))
		return fail_key(reading, "name", "a point's name has letters, digits, '-' and '_'");
	if (reading->preset->points->len == POINTS_MAX)
		return fail_key(reading, "name", "too many points: remove some");
	reading->point = preset_add_point(reading->preset, name);
	return read_keys(reading, group, point_keys) &&
	       preset_parse_inherit(reading, "weight", &reading->point->weight) &&
	       preset_parse_inherit(reading, "where", &reading->point->where) &&
	       check_probes(reading) && check_values(reading);
}

static bool read_points(Reading *reading)
{
	g_auto(GStrv) groups = g_key_file_get_groups(reading->keys, NULL);

	for (char **group = groups; *group; group++) {
		if (g_str_equal(*group, "preset"))
			continue;
		if (!g_str_has_prefix(*group, POINT_PREFIX) || !escape_is_printable(*group)) {
			g_autofree char *escaped = escape_copy(*group);

			g_set_error(reading->error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
				    "%s: [%s]: unknown group; there are [preset] and [point.NAME]",
				    reading->file, escaped);
			return false;
		}
		if (!read_point(reading, *group))
			return false;
	}
	return true;
}

static bool has_column(const Preset *preset, const char *column)
{
	if (g_strv_contains(preset_columns, column))
		return true;
	for (guint i = 0; i < preset->points->len; i++)
		if (preset_point_value(preset->points->pdata[i], column))
			return true;
	return false;
}

static bool check_columns(Reading *reading)
{
	for (char **column = reading->preset->columns; column && *column; column++) {
		g_autofree char *known = NULL;

		if (has_column(reading->preset, *column))
			continue;
		known = g_strjoinv(", ", unconst(preset_columns));
		reading->key = "columns";
		return preset_parse_fail(
			reading,
			"no column \"%s\": there are %s and those of value.COLUMN=", *column,
			known);
	}
	return true;
}

/* What must be there when all is read. */
static bool check_preset(Reading *reading)
{
	Preset *preset = reading->preset;

	reading->group = "preset";
	if (!preset->name || !preset->title)
		return fail_key(reading, preset->name ? "title" : "name", "the key is missing");
	if (!preset->points->len)
		return fail_key(reading, "name", "no probe point: add a group [point.NAME]");
	if (preset->columns && preset->view != PRESET_LIST)
		return fail_key(reading, "columns", "only view=list has columns: remove the key");
	if (!preset->noun) {
		preset->noun = g_strdup("event");
		preset->nouns = g_strdup("events");
	}
	return check_columns(reading);
}

Preset *preset_parse(const char *file, const char *text, GError **error)
{
	g_autoptr(GKeyFile) keys = g_key_file_new();
	g_autoptr(Preset) preset = preset_new();
	g_autoptr(GString) message = g_string_new(NULL);
	g_autoptr(GError) first = NULL;
	Reading reading = { .file = file, .keys = keys, .preset = preset, .error = &first };

	if (!g_key_file_load_from_data(keys, text, strlen(text), G_KEY_FILE_NONE, &first))
		g_prefix_error(&first, "%s: ", file);
	else if (read_keys(&reading, "preset", preset_keys) && read_points(&reading) &&
		 check_preset(&reading))
		return g_steal_pointer(&preset);
	/* Errors of GKeyFile quote the file. Our own are escaped already. */
	escape_hidden_append_len(message, first->message, strlen(first->message));
	g_set_error_literal(error, first->domain, first->code, message->str);
	return NULL;
}
