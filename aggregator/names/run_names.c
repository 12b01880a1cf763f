/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of hosts and recordings of a merged report, in arrays by run. Labels are made late, because
 * only all runs together show which names are ambiguous.
 */
#include "names/run_names.h"

#include "base/escape.h"
#include "base/keyed_hash.h"
#include "base/unconst.h"

enum { CHUNK_BYTES = 1024, BOOT_DIGITS_SHOWN = 8, TEXT_BYTES_MAX = 4096 };

static const char unknown_host[] = "(unknown host)";
static const char unknown_recording[] = "(unknown recording)";

typedef struct {
	const char *name;  /* escaped; NULL: unknown */
	const char *boot;  /* escaped: its first digits; NULL: unknown */
	const char *file;  /* escaped: of its first recording, without folders; NULL: none */
	const char *path;  /* escaped: with folders */
	const char *label; /* NULL: not made yet */
} Host;

typedef struct {
	uint32_t host;
	const char *recording;  /* escaped; NULL: unknown */
	uint64_t start_time_ns; /* 0: unknown */
} Run;

struct RunNames {
	bool hide_host;
	GArray *hosts;       /* (element-type Host), owned */
	GArray *runs;        /* (element-type Run), owned */
	GHashTable *host_of; /* (element-type utf8 uint) by identity, in the chunk */
	GHashTable *same;    /* (element-type utf8 uint) number of hosts by name ... */
	GHashTable *files;   /* (element-type utf8 uint) ... and by file */
	GStringChunk *texts;
	bool has_unknown;
};

RunNames *run_names_new(bool hide_host)
{
	RunNames *names = g_new0(RunNames, 1);

	names->hide_host = hide_host;
	names->hosts = g_array_new(FALSE, FALSE, sizeof(Host));
	names->runs = g_array_new(FALSE, FALSE, sizeof(Run));
	names->host_of = g_hash_table_new(keyed_hash_text, g_str_equal);
	names->same = g_hash_table_new(keyed_hash_text, g_str_equal);
	names->files = g_hash_table_new(keyed_hash_text, g_str_equal);
	names->texts = g_string_chunk_new(CHUNK_BYTES);
	return names;
}

void run_names_free(RunNames *names)
{
	if (!names)
		return;
	g_array_unref(names->hosts);
	g_array_unref(names->runs);
	g_hash_table_unref(names->host_of);
	g_hash_table_unref(names->same);
	g_hash_table_unref(names->files);
	g_string_chunk_free(names->texts);
	g_free(names);
}

/* Returns a printable copy of the first bytes of a text; NULL if it is empty. */
static const char *run_names_keep(RunNames *names, const char *text, size_t bytes_max)
{
	g_autoptr(GString) escaped = g_string_new(NULL);
	g_autofree char *part = g_strndup(text ? text : "", bytes_max);

	if (!*part)
		return NULL;
	escape_append(escaped, part);
	return g_string_chunk_insert(names->texts, escaped->str);
}

static guint number_of(GHashTable *hosts, const char *text)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(hosts, text));
}

static void count_one(GHashTable *hosts, const char *text)
{
	if (text)
		g_hash_table_insert(hosts, unconst(text),
				    GUINT_TO_POINTER(number_of(hosts, text) + 1));
}

static uint32_t add_host(RunNames *names, const RunIdentity *run)
{
	g_autofree char *file = run->path ? g_path_get_basename(run->path) : NULL;
	const Host host = {
		.name = run_names_keep(names, run->host, TEXT_BYTES_MAX),
		.boot = run_names_keep(names, run->boot_id, BOOT_DIGITS_SHOWN),
		.file = run_names_keep(names, file, TEXT_BYTES_MAX),
		.path = run_names_keep(names, run->path, TEXT_BYTES_MAX),
	};

	g_array_append_val(names->hosts, host);
	count_one(names->same, host.name);
	count_one(names->files, host.file);
	return names->hosts->len - 1;
}

uint32_t run_names_add(RunNames *names, const RunIdentity *run)
{
	/* Without a boot, nothing tells whether two recordings are of one host. */
	g_autofree char *identity =
		run->boot_id && *run->boot_id
			? g_strdup_printf("%s\n%s", run->boot_id, run->host ? run->host : "")
			: g_strdup_printf("\n%s", run->path ? run->path : "");
	Run added = { .recording = run_names_keep(names, run->path, TEXT_BYTES_MAX),
		      .start_time_ns = run->start_time_ns };
	gpointer known;

	if (g_hash_table_lookup_extended(names->host_of, identity, NULL, &known)) {
		added.host = GPOINTER_TO_UINT(known);
	} else {
		added.host = add_host(names, run);
		g_hash_table_insert(names->host_of, g_string_chunk_insert(names->texts, identity),
				    GUINT_TO_POINTER(added.host));
	}
	g_array_append_val(names->runs, added);
	return names->runs->len - 1;
}

uint32_t run_names_add_unknown(RunNames *names)
{
	const Host host = { .label = unknown_host };
	const Run run = { .host = names->hosts->len, .recording = unknown_recording };

	names->has_unknown = true;
	g_array_append_val(names->hosts, host);
	g_array_append_val(names->runs, run);
	return names->runs->len - 1;
}

uint32_t run_names_hosts(const RunNames *names)
{
	return names->hosts->len - names->has_unknown;
}

static const Run *run_at(const RunNames *names, uint32_t run)
{
	g_assert(run < names->runs->len);
	return &g_array_index(names->runs, Run, run);
}

uint32_t run_names_host_of(const RunNames *names, uint32_t run)
{
	return run_at(names, run)->host;
}

/* Appends what tells a host from others of its name. */
static void append_other_names(const RunNames *names, const Host *host, GString *out)
{
	const char *word = host->boot ? "boot " : "";
	const char *text = host->boot ? host->boot : host->file;

	if (!host->boot && host->file && number_of(names->files, host->file) > 1)
		text = host->path;
	if (!text)
		g_string_append(out, host->name ? host->name : unknown_host);
	else if (host->name)
		g_string_append_printf(out, "%s (%s%s)", host->name, word, text);
	else
		g_string_append_printf(out, "%s%s", word, text);
}

const char *run_names_host(const RunNames *names, uint32_t run)
{
	uint32_t number = run_names_host_of(names, run);
	Host *host = &g_array_index(names->hosts, Host, number);
	g_autoptr(GString) label = NULL;

	g_assert(number < names->hosts->len);
	if (host->label)
		return host->label;
	label = g_string_new(NULL);
	if (names->hide_host)
		g_string_append_printf(label, "host %u", number + 1 - names->has_unknown);
	else if (host->name && number_of(names->same, host->name) == 1)
		g_string_append(label, host->name);
	else
		append_other_names(names, host, label);
	host->label = g_string_chunk_insert(names->texts, label->str);
	return host->label;
}

const char *run_names_recording(const RunNames *names, uint32_t run)
{
	const char *recording = run_at(names, run)->recording;
	g_autofree char *numbered = NULL;

	if (!recording)
		return unknown_recording;
	if (!names->hide_host || recording == unknown_recording)
		return recording;
	numbered = g_strdup_printf("recording %u", run + 1 - names->has_unknown);
	return g_string_chunk_insert_const(names->texts, numbered);
}

uint64_t run_names_start_time_ns(const RunNames *names, uint32_t run)
{
	return run_at(names, run)->start_time_ns;
}
