/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the host for a stream: kallsyms, modules with build ids and sections, clocks, CPUs. Its
 * data are what it wrote last: only a changed list of modules makes a new epoch. live_run.c writes
 * it at the start and looks for changes at each tick.
 */
#include "collect/facts/host_snapshot.h"

#include "record/format.h"
#include "base/build_id.h"
#include "base/clock.h"
#include "base/cpu_list.h"
#include "record/batch_writer.h"
#include "symbols/symbol_list.h"

#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* A symbol has at most 511 bytes, a module's name 55. */
enum { KALLSYMS_LINE_BYTES = 1024 };

struct HostSnapshot {
	char *root;
	unsigned cpus_online;
	unsigned cpus_possible;
	unsigned cpu_numbers;
	uint32_t epoch;
	uint64_t text_start, text_end;
	bool addresses_known;
	const char *hidden; /* constant text */
	char *ignored;      /* module name, or NULL */
	char *modules;      /* of the newest epoch, without build ids */
};

/* The lines of kallsyms that an epoch includes. */
typedef enum { LINES_ALL, LINES_OF_MODULES } Lines;

static char *read_file(const HostSnapshot *snapshot, const char *path, size_t *length)
{
	g_autofree char *whole_path = g_strconcat(snapshot->root, path, NULL);
	char *text = NULL;
	gsize bytes = 0;

	g_file_get_contents(whole_path, &text, &bytes, NULL);
	if (length)
		*length = bytes;
	return text;
}

/* Returns how many CPUs a file lists. Sets *numbers to the highest of them plus one: the size of an
   array indexed by number. */
static unsigned read_cpus(const HostSnapshot *snapshot, const char *name, int fallback_name,
			  unsigned *numbers)
{
	g_autoptr(GArray) cpus = cpu_list_read(snapshot->root, name);

	if (!cpus)
		return *numbers = (unsigned)MAX(sysconf(fallback_name), 1);
	*numbers = g_array_index(cpus, guint32, cpus->len - 1) + 1;
	return cpus->len;
}

HostSnapshot *host_snapshot_new(const char *root)
{
	HostSnapshot *snapshot = g_new0(HostSnapshot, 1);
	unsigned numbers;

	snapshot->root = g_strdup(root);
	snapshot->cpus_online = read_cpus(snapshot, "online", _SC_NPROCESSORS_ONLN, &numbers);
	snapshot->cpus_possible =
		read_cpus(snapshot, "possible", _SC_NPROCESSORS_CONF, &snapshot->cpu_numbers);
	return snapshot;
}

void host_snapshot_free(HostSnapshot *snapshot)
{
	if (!snapshot)
		return;
	g_free(snapshot->root);
	g_free(snapshot->ignored);
	g_free(snapshot->modules);
	g_free(snapshot);
}

unsigned host_snapshot_cpu_numbers(const HostSnapshot *snapshot)
{
	return snapshot->cpu_numbers;
}

unsigned host_snapshot_cpus_online(const HostSnapshot *snapshot)
{
	return snapshot->cpus_online;
}

void host_snapshot_ignore_module(HostSnapshot *snapshot, const char *name)
{
	g_free(snapshot->ignored);
	snapshot->ignored = g_strdup(name);
}

const char *host_snapshot_hidden(const HostSnapshot *snapshot)
{
	return snapshot->hidden;
}

/* Lines of one module follow each other. */
typedef struct {
	char *module;      /* of the line before; owned */
	GHashTable *ended; /* a set of modules whose lines came before that; owned */
	bool is_freed;     /* the module of the line before is one of these */
} ModuleLines;

/* Returns whether the lines of the module ended before. If something traces functions while a
   module is loaded, the kernel goes on showing what only started it, behind all modules, though
   that is freed (ftrace_free_mem(), kernel/trace/ftrace.c): the next module may be loaded there. */
static bool is_freed(ModuleLines *before, const KallsymsLine *line)
{
	if (text_part_is(line->module, before->module))
		return before->is_freed;
	g_hash_table_add(before->ended, before->module);
	before->module = g_strndup(line->module.text, line->module.length);
	before->is_freed = g_hash_table_contains(before->ended, before->module);
	return before->is_freed;
}

static void take_symbol(HostSnapshot *snapshot, GString *out, TextPart text, Lines lines,
			ModuleLines *before)
{
	KallsymsLine line;
	bool is_start, is_end;

	if (!kallsyms_line_parse(text, &line) ||
	    (lines == LINES_OF_MODULES && !line.module.length) || is_freed(before, &line))
		return;
	/* Symbols of the kernel text's ends are kept whatever their type: they need not lie inside
	   it. */
	is_start = !line.module.length && text_part_is(line.name, "_stext");
	is_end = !line.module.length && text_part_is(line.name, "_etext");
	if (!is_start && !is_end && !kallsyms_line_is_text(&line))
		return;
	if (snapshot->ignored && text_part_is(line.module, snapshot->ignored))
		return;
	if (is_start)
		snapshot->text_start = line.address;
	if (is_end)
		snapshot->text_end = line.address;
	snapshot->addresses_known |= line.address != 0;
	g_string_append_len(out, text.text, (gssize)text.length);
	g_string_append_c(out, '\n');
}

static GString *read_symbols(HostSnapshot *snapshot, Lines lines)
{
	GString *symbols = g_string_new(NULL);
	size_t length;
	g_autofree char *text = read_file(snapshot, "/proc/kallsyms", &length);
	TextPart rest = { text, length }, line;
	ModuleLines before = { .module = g_strdup(""),
			       .ended = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							      NULL) };

	while (text && text_part_next_line(&rest, &line))
		take_symbol(snapshot, symbols, line, lines, &before);
	g_free(before.module);
	g_hash_table_unref(before.ended);
	return symbols;
}

/* Returns "NAME BYTES ADDRESS\n" of the modules in use. A module that is being loaded or unloaded
   has no symbols. */
static char *read_modules(const HostSnapshot *snapshot)
{
	enum { NAME, BYTES, USERS, BY, STATE, ADDRESS, WORDS };
	g_autofree char *text = read_file(snapshot, "/proc/modules", NULL);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	GString *modules = g_string_new(NULL);

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit(*line, " ", -1);

		if (g_strv_length(words) < WORDS || strcmp(words[STATE], "Live"))
			continue;
		if (snapshot->ignored && !strcmp(words[NAME], snapshot->ignored))
			continue;
		g_string_append_printf(modules, "%s %s %s\n", words[NAME], words[BYTES],
				       words[ADDRESS]);
	}
	return g_string_free(modules, FALSE);
}

static void append_build_id(const HostSnapshot *snapshot, GString *out, const char *path)
{
	size_t length;
	g_autofree char *notes = read_file(snapshot, path, &length);
	g_autofree char *build_id = notes ? build_id_of_notes(notes, length) : NULL;

	g_string_append_printf(out, " %s\n", build_id ? build_id : "-");
}

/* Returns the modules with their build ids. The kernel's own comes first, without address: its
   range is in KMT_FIELD_TEXT_START and _END. */
static GString *modules_with_build_ids(const HostSnapshot *snapshot)
{
	GString *out = g_string_new("kernel 0 0x0");
	g_auto(GStrv) lines = g_strsplit(snapshot->modules, "\n", -1);

	append_build_id(snapshot, out, "/sys/kernel/notes");
	for (char **line = lines; *line && **line; line++) {
		g_autofree char *name = g_strndup(*line, strcspn(*line, " "));
		g_autofree char *path =
			g_strconcat("/sys/module/", name, "/notes/.note.gnu.build-id", NULL);

		g_string_append(out, *line);
		append_build_id(snapshot, out, path);
	}
	return out;
}

/* Appends the sections of a module that this user may see. */
static void append_sections(const HostSnapshot *snapshot, GString *out, const char *module)
{
	g_autofree char *folder =
		g_strconcat(snapshot->root, "/sys/module/", module, "/sections", NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *section;

	while (dir && (section = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, section, NULL);
		g_autofree char *address = NULL;
		/* ".text.unlikely". The kernel frees what only starts a module (do_init_module()),
		   but goes on showing where it was, and the next module may be loaded there. */
		bool has_code = section[0] == '.' && strstr(section, "text") &&
				!g_str_has_prefix(section, ".init");

		if (has_code && g_file_get_contents(path, &address, NULL, NULL))
			g_string_append_printf(out, "%s %s %s\n", module, section,
					       g_strstrip(address));
	}
}

static GString *sections_of_modules(const HostSnapshot *snapshot)
{
	GString *out = g_string_new(NULL);
	g_auto(GStrv) lines = g_strsplit(snapshot->modules, "\n", -1);

	for (char **line = lines; *line && **line; line++) {
		g_autofree char *name = g_strndup(*line, strcspn(*line, " "));

		append_sections(snapshot, out, name);
	}
	return out;
}

/* Why all addresses are zero, and the remedy. */
static const char *reason_of_hiding(const HostSnapshot *snapshot)
{
	g_autofree char *restriction = read_file(snapshot, "/proc/sys/kernel/kptr_restrict", NULL);

	if (restriction && *restriction == '2')
		return "the kernel hides its addresses, so there will be no names: "
		       "run 'sysctl kernel.kptr_restrict=1' as root first";
	return "the kernel hides its addresses from this user, so there will be no names: "
	       "run as root";
}

/* Whether a line of kallsyms shows the address of a function. Stops at the first one, which is near
   the start of up to 20 MB. */
static bool shows_addresses(FILE *kallsyms)
{
	char text[KALLSYMS_LINE_BYTES];
	KallsymsLine line;

	while (fgets(text, sizeof(text), kallsyms)) {
		TextPart part = { text, strcspn(text, "\n") };

		if (kallsyms_line_parse(part, &line) && kallsyms_line_is_text(&line) &&
		    line.address != 0)
			return true;
	}
	return false;
}

const char *host_snapshot_look_hidden(const HostSnapshot *snapshot)
{
	g_autofree char *path = g_strconcat(snapshot->root, "/proc/kallsyms", NULL);
	FILE *kallsyms = fopen(path, "re");
	bool is_shown = kallsyms && shows_addresses(kallsyms);

	if (kallsyms)
		fclose(kallsyms);
	return is_shown ? NULL : reason_of_hiding(snapshot);
}

static void write_epoch(HostSnapshot *snapshot, GByteArray *out, const GString *symbols)
{
	GString *modules = modules_with_build_ids(snapshot);
	GString *sections = sections_of_modules(snapshot);

	batch_write_text(out, KMT_BATCH_SYMBOLS, snapshot->epoch, symbols->str, symbols->len);
	batch_write_text(out, KMT_BATCH_MODULES, snapshot->epoch, modules->str, modules->len);
	batch_write_text(out, KMT_BATCH_SECTIONS, snapshot->epoch, sections->str, sections->len);
	g_string_free(modules, TRUE);
	g_string_free(sections, TRUE);
}

static void write_facts(const HostSnapshot *snapshot, GByteArray *out)
{
	g_autofree char *boot_id = read_file(snapshot, "/proc/sys/kernel/random/boot_id", NULL);
	struct utsname names;

	uname(&names);
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, clock_monotonic_ns(), NULL },
		{ KMT_FIELD_REALTIME_NS, clock_ns(CLOCK_REALTIME), NULL },
		{ KMT_FIELD_RELEASE, 0, names.release },
		{ KMT_FIELD_VERSION, 0, names.version },
		{ KMT_FIELD_HOST, 0, names.nodename },
		{ KMT_FIELD_ARCH, 0, names.machine },
		{ KMT_FIELD_BOOT_ID, 0, boot_id ? g_strstrip(boot_id) : "" },
		{ KMT_FIELD_PAGE_BYTES, (uint64_t)sysconf(_SC_PAGESIZE), NULL },
		{ KMT_FIELD_CPUS_ONLINE, snapshot->cpus_online, NULL },
		{ KMT_FIELD_CPUS_POSSIBLE, snapshot->cpus_possible, NULL },
		{ KMT_FIELD_ADDRESSES_HIDDEN, !snapshot->addresses_known, NULL },
		{ KMT_FIELD_TEXT_START, snapshot->text_start, NULL },
		{ KMT_FIELD_TEXT_END, snapshot->text_end, NULL },
	};
	bool range_known = snapshot->text_start < snapshot->text_end;

	batch_write_info(out, fields, G_N_ELEMENTS(fields) - (range_known ? 0 : 2));
}

void host_snapshot_write(HostSnapshot *snapshot, GByteArray *out)
{
	GString *symbols;

	g_free(snapshot->modules);
	snapshot->modules = read_modules(snapshot);
	symbols = read_symbols(snapshot, LINES_ALL);
	if (!snapshot->addresses_known)
		snapshot->hidden = reason_of_hiding(snapshot);
	write_facts(snapshot, out);
	write_epoch(snapshot, out, symbols);
	g_string_free(symbols, TRUE);
}

bool host_snapshot_update(HostSnapshot *snapshot, GByteArray *out)
{
	g_autofree char *modules = read_modules(snapshot);
	GString *symbols;

	if (!g_strcmp0(modules, snapshot->modules))
		return false;
	g_free(snapshot->modules);
	snapshot->modules = g_steal_pointer(&modules);
	snapshot->epoch++;
	symbols = read_symbols(snapshot, LINES_OF_MODULES);
	write_epoch(snapshot, out, symbols);
	g_string_free(symbols, TRUE);
	return true;
}
