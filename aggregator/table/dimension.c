/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of dimensions: for each key of --by its name, help, what identifies a row and what
 * labels it. Parses --by. The functions are in dimension_*.c.
 */
#include "table/dimension.h"

#include "base/nearest.h"
#include "table/dimension_kinds.h"

const Dimension dimensions[] = {
	{
		.name = "process",
		.title = "PROCESS",
		.help = "all processes of a name (their main thread's)",
		.member = MEMBER_TASK,
		.interrupts_apart = true,
		.identify = process_identify,
		.label = process_label,
	},
	{
		.name = "pid",
		.title = "PID",
		.help = "single process, by pid and start time",
		.member = MEMBER_TASK,
		.interrupts_apart = true,
		.identify = pid_identify,
		.label = pid_label,
	},
	{
		.name = "thread",
		.title = "THREAD",
		.help = "single thread, by its name and tid",
		.member = MEMBER_TASK,
		.interrupts_apart = true,
		.identify = thread_identify,
		.label = thread_label,
	},
	{
		.name = "cgroup",
		.title = "CGROUP",
		.help = "unit or container",
		.member = MEMBER_TASK,
		.interrupts_apart = true,
		.identify = cgroup_label,
		.label = cgroup_label,
	},
	{
		.name = "host",
		.title = "HOST",
		.help = "host of the recording",
		.member = MEMBER_TASK,
		.of_runs = true,
		.identify = host_label,
		.label = host_label,
	},
	{
		.name = "recording",
		.title = "RECORDING",
		.help = "recording, if there are several",
		.member = MEMBER_TASK,
		.of_runs = true,
		.identify = recording_identify,
		.label = recording_label,
	},
	{
		.name = "cache",
		.title = "CACHE",
		.help = "slab cache",
		.member = MEMBER_ORIGIN,
		.of_allocations = true,
		.identify = cache_label,
		.label = cache_label,
	},
	{
		.name = "stack",
		.title = "STACK",
		.help = "call stack, one frame per line",
		.member = MEMBER_STACK,
		.identify = stack_identify,
		.label = stack_label,
		.compare = stack_compare,
	},
	{
		.name = "callsite",
		.title = "CALLSITE",
		.help = "caller of the allocator, or probed function",
		.member = MEMBER_ORIGIN,
		.is_function = true,
		.identify = callsite_label,
		.label = callsite_label,
	},
	{
		.name = "line",
		.title = "LINE",
		.help = "source line of that call",
		.member = MEMBER_ORIGIN,
		.of_lines = true,
		.identify = line_label,
		.label = line_label,
	},
	{
		.name = "module",
		.title = "MODULE",
		.help = "innermost module on the stack, or (kernel)",
		.member = MEMBER_STACK,
		.identify = module_label,
		.label = module_label,
	},
	{
		.name = "context",
		.title = "CONTEXT",
		.help = "task, softirq or hardirq",
		.member = MEMBER_CONTEXT,
		.identify = context_label,
		.label = context_label,
	},
	{
		.name = "age",
		.title = "AGE",
		.help = "with --held: how long the objects are held",
		.member = MEMBER_AGE,
		.of_held = true,
		.of_allocations = true,
		.identify = age_label,
		.label = age_label,
	},
	{
		.name = "free-callsite",
		.title = "FREE-CALLSITE",
		.help = "with --held: function that freed the objects",
		.member = MEMBER_FREER,
		.of_held = true,
		.of_allocations = true,
		.is_function = true,
		.identify = freer_label,
		.label = freer_label,
	},
	{
		.name = "point",
		.title = "POINT",
		.help = "probe point",
		.member = MEMBER_ORIGIN,
		.of_hits = true,
		.identify = point_label,
		.label = point_label,
	},
	{
		.name = "user-callsite",
		.title = "USER-CALLSITE",
		.help = "innermost function of the program on the stack",
		.member = MEMBER_STACK,
		.of_hits = true,
		.is_function = true,
		.identify = user_callsite_label,
		.label = user_callsite_label,
	},
	{
		.name = "user-line",
		.title = "USER-LINE",
		.help = "source line of that function",
		.member = MEMBER_STACK,
		.of_hits = true,
		.of_lines = true,
		.identify = user_line_label,
		.label = user_line_label,
	},
	{
		.name = "mapping",
		.title = "MAPPING",
		.help = "its program or library; of ffaults, what is mapped at the fault's address",
		.member = MEMBER_STACK,
		.of_hits = true,
		.identify = mapping_label,
		.label = mapping_label,
	},
	{ .name = NULL },
};

const Dimension *dimension_lookup(const char *name)
{
	for (const Dimension *key = dimensions; key->name; key++)
		if (g_str_equal(key->name, name))
			return key;
	return NULL;
}

char *dimension_names(bool hits)
{
	GString *names = g_string_new(NULL);

	for (const Dimension *key = dimensions; key->name; key++)
		if (dimension_fits(key, hits))
			g_string_append_printf(names, "%s%s", names->len ? ", " : "", key->name);
	return g_string_free(names, FALSE);
}

static bool fail_unknown(const char *name, bool hits, GError **error)
{
	g_autofree char *names = dimension_names(hits);

	g_autofree char *similar = nearest_did_you_mean(name, names);

	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "unknown key '%s'; %svalid: %s", name, similar, names);
	return false;
}

guint dimensions_position(const Dimension *const *keys, const char *name)
{
	guint position = 0;

	while (!g_str_equal(keys[position]->name, name))
		position++;
	return position;
}

bool dimensions_have(const Dimension *const *keys, const char *name)
{
	for (; *keys; keys++)
		if (g_str_equal((*keys)->name, name))
			return true;
	return false;
}

bool dimensions_have_lines(const Dimension *const *keys)
{
	for (; *keys; keys++)
		if ((*keys)->of_lines)
			return true;
	return false;
}

bool dimensions_parse(const char *text, bool hits, const Dimension *keys[DIMENSIONS_MAX + 1],
		      GError **error)
{
	g_auto(GStrv) names = g_strsplit(text, ",", -1);
	guint count = g_strv_length(names);

	if (count > BY_KEYS_MAX) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "'%s' names %u keys: at most %d are possible", text, count,
			    BY_KEYS_MAX);
		return false;
	}
	if (!count)
		return fail_unknown(text, hits, error);
	keys[0] = NULL;
	for (guint i = 0; i < count; i++) {
		if (!dimension_lookup(names[i]) ||
		    !dimension_fits(dimension_lookup(names[i]), hits))
			return fail_unknown(names[i], hits, error);
		if (dimensions_have(keys, names[i])) {
			g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
				    "'%s' is named twice: name another key, or it alone", names[i]);
			return false;
		}
		keys[i] = dimension_lookup(names[i]);
		keys[i + 1] = NULL;
	}
	return true;
}

void dimensions_choose(const char *names, bool hits, const Dimension *keys[DIMENSIONS_MAX + 1])
{
	g_auto(GStrv) split = g_strsplit(names, ",", -1);
	guint count = 0;

	for (guint i = 0; split[i]; i++) {
		const Dimension *key = dimension_lookup(split[i]);

		if (dimension_fits(key, hits))
			keys[count++] = key;
	}
	keys[count] = NULL;
}
