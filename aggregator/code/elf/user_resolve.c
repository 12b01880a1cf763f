/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the names of places in user code, when a report is made: for each object a process without
 * rights (process/child.h) reads the symbols of the file that object_files.c opened, and answers
 * with lines for the stream. What it answers is checked: the file may have taken it over.
 */
#include "code/elf/user_resolve.h"

#include "base/clock.h"
#include "base/unconst.h"
#include "process/child.h"
#include "process/child_port.h"
#include "code/elf/elf_debug_file.h"
#include "code/elf/elf_symbols.h"
#include "code/elf/jit_map.h"

#include <stdlib.h>
#include <string.h>

/* A browser's symbols have 200 MB, and the table of its functions 150 MB. */
#define MEMORY_BYTES ((uint64_t)768 << 20)
#define ALL_NS ((uint64_t)10 * NS_PER_SECOND)

enum {
	FILE_NS = 2000000000,
	ANSWER_BYTES_MAX = 64 << 20,
	PIECE_BYTES = 64 << 10,
};

/* What is asked of one object. Everything is borrowed. */
typedef struct {
	const UserObject *object;
	const UserPlace *places; /* sorted, each once */
	size_t count;
	FileOpener *opener;
	const char *root;
} Job;

/* In the child. */

static ElfFunctions *read_functions(const Job *job, int descriptor)
{
	const ElfSymbolsFile from = { .descriptor = descriptor,
				      .path = job->object->path,
				      .root = job->root };

	if (job->object->type == USER_OBJECT_SPECIAL)
		return strcmp(job->object->path, "[vdso]") ? NULL : vdso_image_functions();
	return job->object->type == USER_OBJECT_GENERATED ? jit_map_read(descriptor)
							  : elf_symbols_read(&from);
}

static void send_if(int socket, GString *out, size_t bytes)
{
	if (out->len < bytes)
		return;
	child_port_answer(socket, out->str, out->len);
	g_string_truncate(out, 0);
}

/* Appends the lines of the segments that contain places. */
static void append_segments(GString *out, const Job *job, const ElfFunctions *functions)
{
	const UserSegment *last = NULL;

	for (size_t i = 0; i < job->count; i++) {
		const UserSegment *segment =
			elf_functions_segment(functions, job->places[i].offset);

		if (segment && segment != last)
			user_segment_line_append(out, job->object->key, segment);
		last = segment ? segment : last;
	}
}

/* The run() of the child. The process ends with the answer: it frees nothing. */
static void user_resolve_answer(int socket, const int *fds, void *data)
{
	const Job *job = data;
	GString *out = g_string_new(NULL);
	const ElfFunctions *functions;
	UserName name;

	elf_debug_file_ask(socket);
	functions = read_functions(job, fds[0]);
	if (!functions)
		return;
	append_segments(out, job, functions);
	for (size_t i = 0; i < job->count; i++) {
		if (elf_functions_find(functions, job->places[i].offset, &name))
			user_name_line_append(out, job->object->key, job->places[i].offset, &name);
		send_if(socket, out, PIECE_BYTES);
	}
	send_if(socket, out, 1);
}

static const ChildType names_child = {
	.name = "kmt-names",
	.rights = CHILD_READS,
	.limits = { .address_space_bytes = 2 * MEMORY_BYTES, .data_bytes = MEMORY_BYTES },
	.run = user_resolve_answer,
};

/* In the program. */

static int compare_places(const void *first, const void *second)
{
	const UserPlace *a = first, *b = second;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Takes lines of this object: names of places that were asked for, and segments. Returns how many
   are names. */
static size_t take_lines(GString *out, TextPart rest, const Job *job)
{
	TextPart line;
	size_t names = 0;

	while (text_part_next_line(&rest, &line)) {
		TextPart words = line;
		TextPart kind = text_part_next_word(&words);
		bool is_ours = text_part_is(text_part_next_word(&words), job->object->key);
		bool is_name = text_part_is(kind, "s");
		UserPlace asked = { .object = job->places[0].object };

		if (!is_ours ||
		    !text_part_hexadecimal(text_part_next_word(&words), &asked.offset) ||
		    !(is_name ? bsearch(&asked, job->places, job->count, sizeof(asked),
					compare_places) != NULL
			      : text_part_is(kind, "v")))
			continue;
		g_string_append_len(out, line.text, (gssize)line.length);
		g_string_append_c(out, '\n');
		names += is_name;
	}
	return names;
}

static bool give_debug_file(const char *path, int socket, const ChildMessage *message,
			    void *user_data)
{
	const Job *job = user_data;

	return file_opener_give_debug_file(job->opener, path, job->object->path, socket, message);
}

/* Reads the names of places in an object, whose file is open or of the kernel. */
static size_t read_names(GString *out, const Job *job, ObjectFiles *files, int file,
			 uint64_t left_ns)
{
	g_autoptr(GString) lines = g_string_new(NULL);
	const ChildCall call = {
		.type = &names_child,
		.fds = &file,
		.fds_count = 1,
		.data = unconst(job),
		.give = give_debug_file,
		.give_data = unconst(job),
		.patience_ns = MIN(left_ns, (uint64_t)FILE_NS),
		.answer_bytes_max = ANSWER_BYTES_MAX,
	};
	char *problem = NULL;

	if (left_ns && child_call(&call, lines, &problem) == CHILD_ANSWERED)
		return take_lines(out, (TextPart){ lines->str, lines->len }, job);
	object_files_fail(files, job->places[0].object,
			  left_ns ? problem : g_strdup("all names took longer than 10 s"));
	return 0;
}

/* Resolves the places in one object. Those that were asked for before are left out. */
static size_t resolve_object(GString *out, const UserObject *object, ObjectFiles *files,
			     UserPlace *places, size_t count, uint64_t left_ns)
{
	const int file = object_files_find(files, places[0].object);
	FileOpener *opener = object_files_opener(files);
	Job job = { .object = object,
		    .places = places,
		    .opener = opener,
		    .root = file_opener_root(opener) };

	if (!object || (file < 0 && object->type != USER_OBJECT_SPECIAL))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (object_files_is_new(files, places[i].object, places[i].offset))
			places[job.count++] = places[i];
	return job.count ? read_names(out, &job, files, file, left_ns) : 0;
}

size_t user_resolve(GString *out, const UserObjects *objects, ObjectFiles *files,
		    const UserPlace *places, size_t count)
{
	g_autofree UserPlace *sorted = g_new(UserPlace, count);
	uint64_t end_ns = clock_monotonic_ns() + ALL_NS;
	size_t names = 0, same;

	if (!count)
		return 0;
	/* Sorted, so that each object is read once. */
	memcpy(sorted, places, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_places);
	for (size_t at = 0; at < count; at += same) {
		const UserObject *object = user_objects_get(objects, sorted[at].object);
		uint64_t now_ns = clock_monotonic_ns();

		for (same = 1; at + same < count; same++)
			if (sorted[at + same].object != sorted[at].object)
				break;
		names += resolve_object(out, object, files, sorted + at, same,
					end_ns - MIN(now_ns, end_ns));
	}
	return names;
}
