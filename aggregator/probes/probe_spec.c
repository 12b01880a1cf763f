/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the spelling of a probe point apart, by a const table of forms (t:, k:, u: and so on). No
 * question to the kernel is asked here: point_events.c does so.
 */
#include "probes/probe_spec.h"

#include "base/escape.h"

#include <stdbool.h>
#include <string.h>

enum {
	PROBE_BYTES_MAX = 4096, /* more than the longest path */
	ALTERNATIVES_MAX = 16,
};

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* How a kind of probe is written. */
typedef struct {
	const char *prefix;
	const char *form; /* for errors */
	const char
		*allowed; /* characters of the group and the name; NULL: all that are printable */
	ProbeType type;
	bool has_path;
	bool has_group;
	bool has_offset;
} ProbeForm;

static const ProbeForm forms[] = {
	{ "t:", "t:GROUP:NAME", LETTERS_AND_DIGITS "-.*?[]!^", PROBE_TRACEPOINT, false, true,
	  false },
	{ "sw:", "sw:NAME", LETTERS_AND_DIGITS "-", PROBE_SOFTWARE, false, false, false },
	{ "k:", "k:FUNCTION", LETTERS_AND_DIGITS ".$", PROBE_KPROBE, false, false, true },
	{ "kr:", "kr:FUNCTION", LETTERS_AND_DIGITS ".$", PROBE_KRETPROBE, false, false, false },
	{ "u:", "u:FILE:SYMBOL", NULL, PROBE_UPROBE, true, false, true },
	{ "ur:", "ur:FILE:SYMBOL", NULL, PROBE_URETPROBE, true, false, false },
	{ "usdt:", "usdt:FILE:PROVIDER:NAME", LETTERS_AND_DIGITS "-.", PROBE_USDT, true, true,
	  false },
};

static const char *const stap_prefixes[] = { "kernel.",  "process.", "module.",
					     "syscall.", "perf.",    "timer." };

const char *probe_spec_prefix(guint index)
{
	return index < G_N_ELEMENTS(forms) ? forms[index].prefix : NULL;
}

/* Sets the error "probe "TEXT": REASON". Returns false. */
static bool probe_spec_fail(GError **error, const char *text, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
static bool probe_spec_fail(GError **error, const char *text, const char *format, ...)
{
	g_autofree char *reason = NULL;
	g_autofree char *message = NULL;
	g_autofree char *escaped = NULL;
	va_list values;

	va_start(values, format);
	reason = g_strdup_vprintf(format, values);
	va_end(values);
	message = g_strdup_printf("probe \"%s\": %s", text, reason);
	escaped = escape_copy(message);
	g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, escaped);
	return false;
}

static bool fail_unknown(GError **error, const char *text)
{
	g_autoptr(GString) kind = g_string_new(NULL);
	g_autoptr(GString) known = g_string_new(NULL);
	const char *colon = strchr(text, ':');

	for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
		if (i)
			g_string_append(known, i + 1 < G_N_ELEMENTS(forms) ? ", " : " or ");
		g_string_append(known, forms[i].form);
	}
	if (!colon)
		return probe_spec_fail(error, text, "no kind of probe: use %s", known->str);
	escape_append_len(kind, text, (gsize)(colon - text) + 1);
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "unknown kind of probe \"%s\": use %s", kind->str, known->str);
	return false;
}

static bool has_control_characters(const char *text)
{
	for (; *text; text++)
		if (g_ascii_iscntrl(*text))
			return true;
	return false;
}

/* Whether SystemTap knows this spelling. */
static bool is_stap(const char *text)
{
	for (guint i = 0; i < G_N_ELEMENTS(stap_prefixes); i++)
		if (g_str_has_prefix(text, stap_prefixes[i]))
			return true;
	return strchr(text, '(');
}

/* A point only: a brace would begin a handler, and with it a script. */
static bool parse_stap(ProbeSpec *spec, GError **error)
{
	const char *bad = strpbrk(spec->text, "{};#%");

	if (bad)
		return probe_spec_fail(
			error, spec->text,
			"'%c' is not part of a probe point: write the point without a handler",
			*bad);
	spec->type = PROBE_STAP;
	spec->name = g_strdup(spec->text);
	return true;
}

/* Takes "+OFFSET", decimal or 0x..., from the end of the name. */
static bool take_offset(ProbeSpec *spec, const ProbeForm *form, GError **error)
{
	char *plus = strrchr(spec->name, '+');
	bool is_hexadecimal;
	guint64 offset;

	if (!plus)
		return true;
	if (!form->has_offset)
		return probe_spec_fail(error, spec->text, "%s takes no offset: leave out \"%s\"",
				       form->form, plus);
	is_hexadecimal = g_str_has_prefix(plus, "+0x");
	if (!g_ascii_string_to_unsigned(plus + (is_hexadecimal ? 3 : 1), is_hexadecimal ? 16 : 10,
					0, G_MAXUINT32, &offset, NULL))
		return probe_spec_fail(
			error, spec->text,
			"the offset after '+' is a number of bytes, like +16 or +0x10");
	spec->offset = offset;
	*plus = '\0';
	return true;
}

static bool check_part(const ProbeSpec *spec, const ProbeForm *form, const char *part,
		       GError **error)
{
	size_t good = form->allowed ? strspn(part, form->allowed) : strcspn(part, " |");

	if (!*part)
		return probe_spec_fail(error, spec->text, "a part is missing: use %s", form->form);
	if (!part[good])
		return true;
	if (strchr("*?[", part[good]))
		return probe_spec_fail(error, spec->text,
				       "only t:GROUP:NAME can have globs like '%c'", part[good]);
	if ((guchar)part[good] >= 0x80)
		return probe_spec_fail(error, spec->text, "only ASCII is allowed here: use %s",
				       form->form);
	return probe_spec_fail(error, spec->text, "'%c' is not allowed here: use %s", part[good],
			       form->form);
}

/* Cuts the last part, behind a colon, off the text. Returns NULL if there is none. */
static char *cut_part(char *text)
{
	char *colon = strrchr(text, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	return g_strdup(colon + 1);
}

/* Cuts from the end: a path may contain colons. */
static bool probe_spec_split(ProbeSpec *spec, const ProbeForm *form, GError **error)
{
	g_autofree char *rest = g_strdup(spec->text + strlen(form->prefix));

	if (form->has_path || form->has_group) {
		spec->name = cut_part(rest);
		if (spec->name && form->has_path && form->has_group)
			spec->group = cut_part(rest);
	} else {
		spec->name = g_strdup(rest);
	}
	if (!spec->name || !*rest || (form->has_path && form->has_group && !spec->group))
		return probe_spec_fail(error, spec->text, "a part is missing: use %s", form->form);
	if (form->has_path)
		spec->path = g_steal_pointer(&rest);
	else if (form->has_group)
		spec->group = g_steal_pointer(&rest);
	return true;
}

static bool parse_form(ProbeSpec *spec, const ProbeForm *form, GError **error)
{
	spec->type = form->type;
	if (!probe_spec_split(spec, form, error) || !take_offset(spec, form, error))
		return false;
	if (spec->group && !check_part(spec, form, spec->group, error))
		return false;
	return check_part(spec, form, spec->name, error);
}

static const ProbeForm *find_form(const char *text)
{
	for (guint i = 0; i < G_N_ELEMENTS(forms); i++)
		if (g_str_has_prefix(text, forms[i].prefix))
			return &forms[i];
	return NULL;
}

static bool parse(ProbeSpec *spec, GError **error)
{
	const ProbeForm *form = find_form(spec->text);

	if (!*spec->text) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "a probe is empty: use, for example, t:kmem:mm_page_alloc");
		return false;
	}
	if (strlen(spec->text) > PROBE_BYTES_MAX) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "a probe has more than %u characters: shorten it", PROBE_BYTES_MAX);
		return false;
	}
	if (has_control_characters(spec->text))
		return probe_spec_fail(error, spec->text,
				       "control characters are not allowed: remove them");
	if (form)
		return parse_form(spec, form, error);
	return is_stap(spec->text) ? parse_stap(spec, error) : fail_unknown(error, spec->text);
}

ProbeSpec *probe_spec_parse(const char *text, GError **error)
{
	g_autoptr(ProbeSpec) spec = g_new0(ProbeSpec, 1);

	spec->text = g_strstrip(g_strdup(text));
	return parse(spec, error) ? g_steal_pointer(&spec) : NULL;
}

void probe_spec_free(ProbeSpec *spec)
{
	if (!spec)
		return;
	g_free(spec->text);
	g_free(spec->path);
	g_free(spec->group);
	g_free(spec->name);
	g_free(spec);
}

/* Returns the bytes before the next '|' that is in no quotes and no parentheses. */
static size_t alternative_bytes(const char *text)
{
	bool is_quoted = false;
	guint depth = 0;
	size_t at;

	for (at = 0; text[at]; at++) {
		if (text[at] == '"')
			is_quoted = !is_quoted;
		else if (is_quoted)
			continue;
		else if (text[at] == '(')
			depth++;
		else if (text[at] == ')' && depth)
			depth--;
		else if (text[at] == '|' && !depth)
			break;
	}
	return at;
}

GPtrArray *probe_alternatives_parse(const char *text, GError **error)
{
	g_autoptr(GPtrArray) specs =
		g_ptr_array_new_with_free_func((GDestroyNotify)probe_spec_free);

	for (;;) {
		size_t bytes = alternative_bytes(text);
		g_autofree char *one = g_strndup(text, bytes);
		ProbeSpec *spec = probe_spec_parse(one, error);

		if (!spec)
			return NULL;
		g_ptr_array_add(specs, spec);
		if (!text[bytes])
			return g_steal_pointer(&specs);
		if (specs->len == ALTERNATIVES_MAX) {
			g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
				    "more than %u alternatives: remove some", ALTERNATIVES_MAX);
			return NULL;
		}
		text += bytes + 1;
	}
}
