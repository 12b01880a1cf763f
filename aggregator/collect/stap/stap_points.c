/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the script of probe points: spellings by kind of probe in a table, formulas by
 * expression_stap.c, one call of the emitter for each hit. What this kernel lacks is noted. The
 * script goes into the module's key.
 */
#include "collect/stap/stap_points.h"

#include "base/unconst.h"
#include "collect/points/program_symbols.h"

#include <gio/gio.h>
#include <string.h>

#define KPROBE "kprobe.function(\""
#define FUNCTION "kernel.function(\""
#define PROGRAM "process(\""

/* As kmt_hit() takes it. */
typedef enum { HIT_WITH_STACKS, HIT_WITHOUT_STACKS, HIT_NOT_COUNTED, HIT_AT_ENTRY } HitKind;

static void point_free(gpointer data)
{
	StapPoint *point = data;

	g_free(point->name);
	g_free(point);
}

void stap_points_free(StapPoints *points)
{
	if (!points)
		return;
	g_ptr_array_unref(points->points);
	g_ptr_array_unref(points->functions);
	g_ptr_array_unref(points->programs);
	g_free(points->script);
	g_free(points->missing);
	g_free(points);
}

/* A set of points in the making. */
typedef struct {
	StapPoints *points;
	const Preset *preset;
	const PointHost *host; /* NULL: of another kernel */
	GString *script;
} Build;

/* A part of a preset's point: its only probe, or one of its two ends. */
typedef struct {
	const PresetPoint *point;
	PointRole role;
	uint8_t pair;
} Part;

/* A probe in SystemTap's spelling. */
typedef struct {
	char *text;
	char *name;          /* as displayed */
	bool is_one_of_many; /* of a glob: SystemTap may not find each of them */
} Probe;

static void probe_free(gpointer data)
{
	Probe *probe = data;

	g_free(probe->text);
	g_free(probe->name);
	g_free(probe);
}

G_GNUC_PRINTF(3, 4)
static bool stap_points_fail(const ProbeSpec *spec, GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s: %s: use --collector=perf, or a preset with the key stap=", spec->text,
		    text);
	return false;
}

static void add_probe(GPtrArray *probes, char *text, const char *name, bool is_one_of_many)
{
	Probe *probe = g_new0(Probe, 1);

	*probe = (Probe){ text, g_strdup(name), is_one_of_many };
	g_ptr_array_add(probes, probe);
}

/* Whether this kernel has the point. */
static GPtrArray *stap_points_look(const Build *build, const ProbeSpec *spec, GError **error)
{
	return point_events_find(build->host, spec, error);
}

static bool spell_tracepoint(const Build *build, const ProbeSpec *spec, GPtrArray *probes,
			     GError **error)
{
	bool has_glob = strpbrk(spec->group, "*?[") || strpbrk(spec->name, "*?[");
	g_autofree char *name = g_strdup_printf("%s:%s", spec->group, spec->name);
	g_autoptr(GPtrArray) events = NULL;

	if (g_str_equal(spec->group, "syscalls"))
		return stap_points_fail(spec, error,
					"SystemTap sees no tracepoints of single system calls");
	if (!build->host && has_glob)
		return stap_points_fail(
			spec, error, "the names are known only on the host that runs the probes");
	if (!build->host) {
		add_probe(probes, g_strdup_printf("kernel.trace(\"%s\")", name), name, false);
		return true;
	}
	events = stap_points_look(build, spec, error);
	for (guint i = 0; events && i < events->len; i++) {
		const PointEvent *event = events->pdata[i];

		add_probe(probes, g_strdup_printf("kernel.trace(\"%s\")", event->name), event->name,
			  has_glob);
	}
	return events;
}

static bool spell_software(const Build *build, const ProbeSpec *spec, GPtrArray *probes,
			   GError **error)
{
	const PointHost any = { .root = "", .kmem_folder_fd = -1 };
	g_autoptr(GPtrArray) events =
		point_events_find(build->host ? build->host : &any, spec, error);
	const PointEvent *event = events ? events->pdata[0] : NULL;

	if (!event)
		return false;
	add_probe(probes,
		  g_strdup_printf("perf.type(%u).config(%" G_GUINT64_FORMAT ").sample(1)",
				  event->type, (guint64)event->config),
		  event->name, false);
	return true;
}

static bool spell_function(const Build *build, const ProbeSpec *spec, GPtrArray *probes,
			   GError **error)
{
	g_autoptr(GPtrArray) events = NULL;

	if (spec->offset)
		return stap_points_fail(spec, error,
					"SystemTap probes no offsets without debuginfo");
	if (build->host) {
		events = stap_points_look(build, spec, error);
		if (!events)
			return false;
	}
	add_probe(probes,
		  g_strdup_printf(KPROBE "%s\")%s", spec->name,
				  spec->type == PROBE_KRETPROBE ? ".return" : ""),
		  spec->text, false);
	return true;
}

/* Returns the file of a probe in a program, or NULL with error set. */
static char *find_program(const Build *build, const ProbeSpec *spec, GError **error)
{
	const PointHost any = { .root = "", .kmem_folder_fd = -1 };
	char *path = program_file_find(build->host ? build->host : &any, spec, error);

	if (!path || !strpbrk(path, "\"\\"))
		return path;
	g_free(path);
	stap_points_fail(spec, error, "SystemTap takes no such path");
	return NULL;
}

static bool spell_symbol(const Build *build, const ProbeSpec *spec, GPtrArray *probes,
			 GError **error)
{
	g_autofree char *path = find_program(build, spec, error);

	if (!path)
		return false;
	if (spec->offset || strpbrk(spec->name, "\"\\"))
		return stap_points_fail(spec, error, "SystemTap takes only the name of a function");
	if (spec->type == PROBE_USDT)
		add_probe(probes,
			  g_strdup_printf(PROGRAM "%s\").provider(\"%s\").mark(\"%s\")", path,
					  spec->group, spec->name),
			  spec->text, false);
	else
		add_probe(probes,
			  g_strdup_printf(PROGRAM "%s\").function(\"%s\")%s", path, spec->name,
					  spec->type == PROBE_URETPROBE ? ".return" : ""),
			  spec->text, false);
	return true;
}

/* Returns the string after the prefix in a probe in SystemTap's spelling, or NULL. */
static char *quoted_after(const char *text, const char *prefix)
{
	const char *at = strstr(text, prefix);
	const char *end = at ? strchr(at + strlen(prefix), '"') : NULL;

	return end ? g_strndup(at + strlen(prefix), (gsize)(end - at) - strlen(prefix)) : NULL;
}

/* Whether this kernel has a symbol for the function. */
static bool has_symbol(const Build *build, const char *function, GError **error)
{
	g_autofree char *text = g_strconcat("k:", function, NULL);
	g_autoptr(ProbeSpec) spec = NULL;
	g_autoptr(GPtrArray) events = NULL;

	if (!build->host)
		return true;
	spec = probe_spec_parse(text, error);
	events = spec ? stap_points_look(build, spec, error) : NULL;
	return events;
}

static bool is_plain_name(const char *function)
{
	return !function[strspn(function, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.")];
}

/* Functions of the kernel need debuginfo, except if they are probed by their symbol. Returns
   "kernel.function("f").return !, kprobe.function("f").return": the first one that is possible; or
   NULL. */
static char *with_fallback(const Build *build, const char *text)
{
	g_autofree char *function = NULL;
	g_autofree char *call = NULL;
	const char *rest;

	if (!g_str_has_prefix(text, FUNCTION))
		return NULL;
	function = quoted_after(text, FUNCTION);
	call = function ? g_strconcat(FUNCTION, function, "\")", NULL) : NULL;
	if (!call || !g_str_has_prefix(text, call) || !is_plain_name(function) ||
	    !has_symbol(build, function, NULL))
		return NULL;
	rest = text + strlen(call);
	if (*rest && !g_str_equal(rest, ".return") && !g_str_equal(rest, ".call"))
		return NULL;
	return g_strdup_printf("%s !, " KPROBE "%s\")%s", text, function, rest);
}

/* SystemTap itself finds out whether there is such a point, except for symbols: see
   stap_build.h. */
static bool spell_own(const Build *build, const ProbeSpec *spec, GPtrArray *probes, GError **error)
{
	g_autofree char *symbol = quoted_after(spec->text, KPROBE);
	char *text = with_fallback(build, spec->text);

	if (symbol && is_plain_name(symbol) && !has_symbol(build, symbol, error))
		return false;
	add_probe(probes, text ? text : g_strdup(spec->text), spec->text, false);
	return true;
}

typedef bool (*Speller)(const Build *build, const ProbeSpec *spec, GPtrArray *probes,
			GError **error);

static const Speller spellers[] = {
	[PROBE_TRACEPOINT] = spell_tracepoint, [PROBE_SOFTWARE] = spell_software,
	[PROBE_KPROBE] = spell_function,       [PROBE_KRETPROBE] = spell_function,
	[PROBE_UPROBE] = spell_symbol,         [PROBE_URETPROBE] = spell_symbol,
	[PROBE_USDT] = spell_symbol,           [PROBE_STAP] = spell_own,
};

/* The names of formulas. */

/* Returns N of "argN"; 0: another name. */
static guint64 argument_of(const char *name)
{
	enum { ARGUMENTS_MAX = 12 };
	guint64 number = 0;

	if (!g_str_has_prefix(name, "arg") ||
	    !g_ascii_string_to_unsigned(name + strlen("arg"), 10, 1, ARGUMENTS_MAX, &number, NULL))
		return 0;
	return number;
}

/* Names that every hit has. */
static const struct {
	const char *name;
	const char *stap;
	bool is_text;
} common_names[] = {
	{ "pid", "pid()", false }, { "tgid", "pid()", false },     { "tid", "tid()", false },
	{ "cpu", "cpu()", false }, { "comm", "execname()", true },
};

static char *common_name(const char *name, bool *is_text)
{
	for (guint i = 0; i < G_N_ELEMENTS(common_names); i++) {
		if (!g_str_equal(common_names[i].name, name))
			continue;
		*is_text = common_names[i].is_text;
		return g_strdup(common_names[i].stap);
	}
	return NULL;
}

static bool is_return(const ProbeSpec *spec)
{
	return spec->type == PROBE_KRETPROBE || spec->type == PROBE_URETPROBE ||
	       (spec->type == PROBE_STAP && strstr(spec->text, ".return"));
}

static bool is_call(const ProbeSpec *spec)
{
	return spec->type == PROBE_KPROBE || spec->type == PROBE_UPROBE ||
	       (spec->type == PROBE_STAP && strstr(spec->text, ".function(") && !is_return(spec));
}

/* An ExpressionStapFind. A tracepoint has arguments for SystemTap, and fields for others: only the
   writer of the probe or the preset knows which is which. */
static char *find_name(const char *name, bool *is_text, void *data)
{
	const ProbeSpec *spec = data;
	guint64 argument = argument_of(name);

	if (argument && is_call(spec))
		return g_strdup_printf("ulong_arg(%u)", (unsigned)argument);
	if (argument && spec->type == PROBE_USDT)
		return g_strdup_printf("$arg%u", (unsigned)argument);
	if (g_str_equal(name, "retval") && is_return(spec))
		return g_strdup("returnval()");
	if (*name != '$') {
		char *common = common_name(name, is_text);

		if (common)
			return common;
	}
	if (spec->type != PROBE_STAP || argument)
		return NULL;
	return g_strconcat("$", expression_field_name(name), NULL);
}

/* Sets *text to a formula in SystemTap's language; without a formula it stays. key: of presets. */
static bool write_formula(const ProbeSpec *spec, const PresetFormula *formula, const char *key,
			  char **text, GError **error)
{
	g_autoptr(GError) problem = NULL;
	char *written = NULL;

	if (formula->stap)
		written = g_strdup_printf("(%s)", formula->stap);
	else if (formula->expression)
		written = expression_stap(formula->expression, find_name, unconst(spec), &problem);
	else
		return true;
	if (!written) {
		g_set_error(
			error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			"%s: \"%s\": %s: use --collector=perf, or a preset with the key stap.%s=",
			spec->text, formula->text, problem->message, key);
		return false;
	}
	g_free(*text);
	*text = written;
	return true;
}

/* What the hits of a ranking are worth: the weight, else the first value. */
static const PresetFormula *value_of(const Part *part, const char **key)
{
	const PresetPoint *point = part->point;

	*key = "weight";
	for (guint i = 0;
	     !point->weight.expression && part->role == POINT_ROLE_END && i < point->values->len;
	     i++) {
		const PresetValue *value = point->values->pdata[i];

		*key = "value";
		if (!value->is_at_begin && !value->is_optional)
			return &value->formula;
	}
	return &point->weight;
}

/* The script. */

static HitKind kind_of(const Part *part, const ProbeSpec *spec, const char *probe)
{
	if (part->role == POINT_ROLE_END)
		return HIT_WITHOUT_STACKS;
	return is_call(spec) && strstr(probe, PROGRAM) ? HIT_AT_ENTRY : HIT_WITH_STACKS;
}

static void write_body(Build *build, const Part *part, HitKind kind, const char *where,
		       const char *value)
{
	unsigned number = build->points->points->len - 1;
	GString *out = build->script;

	if (where)
		g_string_append_printf(out, "if (%s) ", where);
	g_string_append_printf(out, "kmt_hit(%u, %s, %d)", number, value, (int)kind);
	/* The end of a time span that does not count is still its end. */
	if (where && part->role != POINT_ROLE_HIT)
		g_string_append_printf(out, " else kmt_hit(%u, 0, %d)", number,
				       (int)HIT_NOT_COUNTED);
}

static void note_files(StapPoints *points, const char *probe)
{
	char *function = quoted_after(probe, KPROBE);
	g_autofree char *program = quoted_after(probe, PROGRAM);
	/* As SystemTap finds a program without path. */
	char *path = program ? g_find_program_in_path(program) : NULL;

	if (function)
		g_ptr_array_add(points->functions, function);
	if (path)
		g_ptr_array_add(points->programs, path);
	else if (program)
		g_ptr_array_add(points->programs, g_steal_pointer(&program));
}

static bool add_point(Build *build, const Part *part, const ProbeSpec *spec, const Probe *probe,
		      GError **error)
{
	const PresetFormula *wanted =
		part->role == POINT_ROLE_BEGIN ? &part->point->begin_where : &part->point->where;
	const char *key;
	const PresetFormula *worth = value_of(part, &key);
	g_autofree char *value = g_strdup("1");
	g_autofree char *where = NULL;
	StapPoint *point = g_new0(StapPoint, 1);

	*point = (StapPoint){ g_strdup(probe->name), part->role, part->pair };
	g_ptr_array_add(build->points->points, point);
	build->points->has_pairs |= part->role != POINT_ROLE_HIT;
	if (!write_formula(spec, wanted, "where", &where, error) ||
	    (part->role != POINT_ROLE_BEGIN && !write_formula(spec, worth, key, &value, error)))
		return false;
	if (part->role != POINT_ROLE_BEGIN && worth->expression)
		build->points->value_name = worth->text;
	note_files(build->points, probe->text);
	g_string_append_printf(build->script, "probe %s%s { ", probe->text,
			       probe->is_one_of_many ? " ?" : "");
	write_body(build, part, kind_of(part, spec, probe->text), where, value);
	g_string_append(build->script, " }\n");
	return true;
}

/* Finds the first alternative that this kernel has. Returns its probes, or NULL with error set: the
   error is about the first alternative. */
static GPtrArray *find_probes(const Build *build, const GPtrArray *alternatives,
			      const ProbeSpec **chosen, GError **error)
{
	GError *first = NULL;

	for (guint i = 0; i < alternatives->len; i++) {
		g_autoptr(GPtrArray) probes = g_ptr_array_new_with_free_func(probe_free);

		*chosen = alternatives->pdata[i];
		if (!spellers[(*chosen)->type](build, *chosen, probes, first ? NULL : &first))
			continue;
		g_clear_error(&first);
		return g_steal_pointer(&probes);
	}
	g_propagate_error(error, first);
	return NULL;
}

/* One side of a point: all probes of the alternative, each as a point of the stream. */
typedef struct {
	Part part;
	const GPtrArray *alternatives;
	const ProbeSpec *spec;
	GPtrArray *probes; /* owned */
} Side;

static bool add_side(Build *build, const Side *side, GError **error)
{
	for (guint i = 0; i < side->probes->len; i++)
		if (!add_point(build, &side->part, side->spec, side->probes->pdata[i], error))
			return false;
	if (build->points->points->len < POINTS_MAX)
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
		    "more than %d probe points: use narrower patterns", POINTS_MAX - 1);
	return false;
}

/* Keeps why a point is missing; the run goes on with the others. */
static void note_missing(StapPoints *points, const PresetPoint *point, const GError *problem)
{
	GString *text = g_string_new(points->missing);

	if (text->len)
		g_string_append(text, "; ");
	/* A point of the command line is called as its probe. */
	if (!g_str_has_prefix(problem->message, point->name))
		g_string_append_printf(text, "%s: ", point->name);
	g_string_append(text, problem->message);
	if (point->missing)
		g_string_append_printf(text, " (%s)", point->missing);
	g_free(points->missing);
	points->missing = g_string_free(text, FALSE);
}

/* Both ends of a pair are found before one is added. */
static bool add_preset_point(Build *build, uint8_t number, GError **error)
{
	const PresetPoint *point = build->preset->points->pdata[number];
	const GPtrArray *begin = point->stap_begin ? point->stap_begin : point->begin;
	PointRole role = begin ? POINT_ROLE_END : POINT_ROLE_HIT;
	Side sides[] = {
		{ { point, POINT_ROLE_BEGIN, number }, begin, NULL, NULL },
		{ { point, role, number }, point->stap ? point->stap : point->probe, NULL, NULL },
	};
	g_autoptr(GError) problem = NULL;
	bool is_added = true;

	g_assert(number < build->preset->points->len);
	for (guint i = 0; !problem && i < G_N_ELEMENTS(sides); i++)
		if (sides[i].alternatives)
			sides[i].probes =
				find_probes(build, sides[i].alternatives, &sides[i].spec, &problem);
	for (guint i = 0; !problem && is_added && i < G_N_ELEMENTS(sides); i++)
		if (sides[i].probes)
			is_added = add_side(build, &sides[i], error);
	for (guint i = 0; i < G_N_ELEMENTS(sides); i++)
		g_clear_pointer(&sides[i].probes, g_ptr_array_unref);
	if (problem)
		note_missing(build->points, point, problem);
	return is_added;
}

static bool add_all(Build *build, GError **error)
{
	const Preset *preset = build->preset;

	for (guint i = 0; i < MIN(preset->points->len, POINT_PAIRS_MAX); i++)
		if (!add_preset_point(build, (uint8_t)i, error))
			return false;
	if (build->points->points->len)
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s",
		    build->points->missing ? build->points->missing : "no probe point");
	return false;
}

StapPoints *stap_points_new(const Preset *preset, const PointHost *host, GError **error)
{
	g_autoptr(StapPoints) points = g_new0(StapPoints, 1);
	g_autoptr(GString) script = g_string_new("\nprobe begin(-1) { kmt_take_hits() }\n");
	Build build = { points, preset, host, script };

	points->points = g_ptr_array_new_with_free_func(point_free);
	points->functions = g_ptr_array_new_with_free_func(g_free);
	points->programs = g_ptr_array_new_with_free_func(g_free);
	if (preset->view == PRESET_LIST || !(preset->collectors & PRESET_BY_STAP)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "the preset %s %s: use --collector=perf", preset->name,
			    preset->view == PRESET_LIST
				    ? "lists events, which SystemTap's collector does not"
				    : "is not for SystemTap");
		return NULL;
	}
	if (!add_all(&build, error))
		return NULL;
	points->script = g_strdup(script->str);
	return g_steal_pointer(&points);
}
