/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which format a text has: the const table of importers, in the order of recognition, where the
 * importer that takes any lines around stacks comes last; and texts that are refused by name, a
 * const table of their lines. input.c asks for these when a text has no format, or the one that
 * takes any lines.
 */
#include "config.h"

#include "import/import_types.h"

#include "import/import_perf_line.h"

#include <string.h>

const ImportType *const import_types[] = {
	&import_hashkey,    &import_report,     &import_perf_script,
	&import_slab_text,  &import_allocinfo,  &import_alloc_traces,
	&import_page_owner, &import_count_text, NULL,
};

const ImportType *import_type_recognise(const char *text, size_t length)
{
	for (const ImportType *const *type = import_types; *type; type++) {
		if ((*type)->recognises(text, MIN(length, (size_t)IMPORT_SNIFF_BYTES)))
			return *type;
	}
	return NULL;
}

/* Refused texts. */

static const char log_remedy[] =
	"--import=allocinfo reads the rows under its line 'Memory allocations:'";

static const ForeignText foreign_texts[] = {
	{ "unreferenced object 0x", NULL, "a report of kmemleak", NULL },
	{ NULL, " allocations from stack", "the output of bcc's memleak", NULL },
	{ "slabinfo - version", NULL, "a copy of /proc/slabinfo", NULL },
	{ "Active / Total Objects", NULL, "the output of slabtop", NULL },
	{ "0x", " pages=", "a copy of /proc/vmallocinfo", NULL },
	{ "Attaching ", " probe", "the output of bpftrace", NULL },
	{ "@", "]: ", "the output of bpftrace", NULL },
	{ "@[", NULL, "the output of bpftrace", NULL },
	{ "# tracer:", NULL, "a trace of ftrace", "record with perf record, then use perf script" },
	{ "cpus=", NULL, "the output of trace-cmd report",
	  "record with perf record, then use perf script" },
	{ NULL, "Call Trace:", "a log of the kernel", log_remedy },
	{ NULL, "Call trace:", "a log of the kernel", log_remedy },
	{ NULL, "Mem-Info:", "a log of the kernel", log_remedy },
	{ NULL, "Memory allocations:", "a log of the kernel", log_remedy },
	{ "Caller", "Avg Wait", "the output of klockstat", NULL },
	{ "Caller", "Avg Hold", "the output of klockstat", NULL },
	{ "COMM", "ORDER MODE", "the output of compactsnoop", NULL },
	{ "Tracing off-CPU time", NULL, "the output of offcputime", NULL },
	{ "Tracing blocked time", NULL, "the output of offwaketime or wakeuptime", NULL },
	{ "Sampling at ", NULL, "the output of profile", NULL },
	{ "# Overhead", NULL, "the output of perf report", "use perf script" },
	{ "handle: ", NULL, "a list of handles of page_owner_stacks", "read show_stacks" },
};

static const ForeignText other_events = { NULL, NULL,
					  "the output of perf script, without allocations",
					  "record the events kmem:*" };

static const ForeignText *find_line(Cursor line)
{
	PerfSample sample;

	cursor_skip_blanks(&line);
	for (size_t i = 0; i < G_N_ELEMENTS(foreign_texts); i++) {
		const ForeignText *foreign = &foreign_texts[i];
		Cursor at = line;

		if (foreign->begins && !cursor_take(&at, foreign->begins))
			continue;
		if (!foreign->contains || memmem(at.at, (size_t)(at.end - at.at), foreign->contains,
						 strlen(foreign->contains)))
			return foreign;
	}
	return perf_sample_read(line.at, (size_t)(line.end - line.at), &sample) ? &other_events
										: NULL;
}

const ForeignText *foreign_text_find(const char *text, size_t length)
{
	Cursor rest = cursor_over(text, length), line;
	const ForeignText *foreign = NULL;

	if (memchr(text, '\0', length))
		return NULL;
	while (!foreign && import_next_line(&rest, &line))
		foreign = find_line(line);
	return foreign;
}

/* Its files are those of a root folder, beside the output of commands. */
char *foreign_folder_find(const char *folder)
{
	g_autofree char *commands = g_build_filename(folder, "sos_commands", NULL);

	if (!g_file_test(commands, G_FILE_TEST_IS_DIR))
		return NULL;
	return g_strdup_printf(
		"%s: it is an unpacked sosreport, which is not read as a whole: give one of its "
		"files, such as --import=allocinfo %s/proc/allocinfo",
		folder, folder);
}
