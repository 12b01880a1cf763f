/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both sides of the process that reads debug data: the child opens the object and answers line by
 * line; the program waits a bounded time (process/child.c), and checks what came.
 */
#include "config.h"

#include "code/lines/lines_child.h"

#include "base/build_id.h"
#include "base/clock.h"
#include "base/unconst.h"
#include "code/lines/debug_object.h"
#include "process/child.h"
#include "process/child_port.h"
#include "symbols/line_table.h"

#include <limits.h>
#include <string.h>

/*
 * Checks the answer: a first line, then the lines of places. It is untrusted: only lines of places
 * that were asked for, in that order, are taken.
 */

/* The first line of an answer: a word, and the build id that was found, or of what the file refers
   to, with its name. */
#define ANSWER_BUILD_ID "b"
#define ANSWER_REFERS "s"
#define ANSWER_NO_DEBUG "n"
#define ANSWER_NO_BUILD_ID "-"

void lines_outcome_clear(LinesOutcome *outcome)
{
	g_clear_pointer(&outcome->build_id, g_free);
	g_clear_pointer(&outcome->supplement, g_free);
	g_clear_pointer(&outcome->problem, g_free);
}

/* The place whose lines are being taken. */
typedef struct {
	const LinesJob *job;
	guint request, place;
} Asked;

/* Goes on to a place. Returns false if it was not asked for, or comes out of order. */
static bool go_on_to(Asked *asked, TextPart key, uint64_t offset)
{
	for (; asked->request < asked->job->count; asked->request++, asked->place = 0) {
		const LinesRequest *request = &asked->job->requests[asked->request];

		if (!text_part_is(key, request->key))
			continue;
		for (; asked->place < request->places->len; asked->place++)
			if (g_array_index(request->places, LinesPlace, asked->place).offset ==
			    offset)
				return true;
	}
	return false;
}

/* Only lines of places that were asked for count, in that order: a hostile file may control the
   process. */
static void take_lines(GString *out, TextPart rest, const LinesJob *job)
{
	Asked asked = { .job = job };
	TextPart line;

	while (text_part_next_line(&rest, &line)) {
		TextPart words = line, kind = text_part_next_word(&words);
		TextPart key = text_part_next_word(&words);
		uint64_t offset;

		if (!text_part_is(kind, "l") ||
		    !text_part_hexadecimal(text_part_next_word(&words), &offset) ||
		    !go_on_to(&asked, key, offset))
			return;
		g_string_append_len(out, line.text, (gssize)line.length);
		g_string_append_c(out, '\n');
	}
}

/* The first line of an answer. */
typedef struct {
	TextPart word;
	TextPart build_id;
	TextPart name; /* after a blank; length 0: none */
} AnswerHead;

static AnswerHead take_head(TextPart *answer)
{
	TextPart line = { answer->text, 0 };
	AnswerHead head;

	text_part_next_line(answer, &line);
	head.word = text_part_next_word(&line);
	head.build_id = text_part_next_word(&line);
	head.name = line.length ? (TextPart){ line.text + 1, line.length - 1 } : line;
	return head;
}

LinesOutcome lines_answer_take(GString *out, TextPart answer, const LinesJob *job)
{
	AnswerHead head = take_head(&answer);
	bool refers = text_part_is(head.word, ANSWER_REFERS) && build_id_is_text(head.build_id) &&
		      head.name.length && head.name.length < PATH_MAX;

	if (text_part_is(head.word, ANSWER_NO_DEBUG))
		return (LinesOutcome){ .result = LINES_NO_DEBUG };
	if (refers)
		return (LinesOutcome){
			.result = LINES_REFERS,
			.build_id = build_id_copy(head.build_id),
			.supplement = g_strndup(head.name.text, head.name.length),
		};
	if (!text_part_is(head.word, ANSWER_BUILD_ID))
		return (LinesOutcome){
			.result = LINES_FAILED,
			.problem = g_strdup("the process that read it gave no answer"),
		};
	if (!text_part_is(head.build_id, job->build_id))
		return (LinesOutcome){ .result = LINES_OTHER_FILE,
				       .build_id = build_id_copy(head.build_id) };
	take_lines(out, answer, job);
	return (LinesOutcome){ .result = LINES_FOUND };
}

enum { ANSWER_BYTES_MAX = 256 << 20 };

/* In the child. */

static void write_all(int socket, GString *text)
{
	child_port_answer(socket, text->str, text->len);
	g_string_truncate(text, 0);
}

static bool find_address(DebugObject *object, const LinesRequest *request, const LinesPlace *place,
			 Dwarf_Addr *address)
{
	switch (request->kind) {
	case CODE_OF_KERNEL:
		return debug_object_kernel_address(object, place->offset, address);
	case CODE_OF_MODULE:
		return debug_object_section_address(object, request->section, place->offset,
						    address);
	case CODE_OF_PROGRAM:
		*address = place->address;
		return true;
	}
	return false;
}

static void answer_request(DebugObject *object, DebugLines *lines, const LinesRequest *request,
			   GString *out)
{
	DebugFrame frames[DEBUG_DEPTH_MAX];

	for (guint i = 0; i < request->places->len; i++) {
		const LinesPlace *place = &g_array_index(request->places, LinesPlace, i);
		Dwarf_Addr address;
		size_t count;

		if (!find_address(object, request, place, &address))
			continue;
		count = debug_lines_find(lines, address, frames);
		for (size_t j = 0; j < count; j++)
			line_table_append_line(out, request->key, place->offset,
					       &(LineFrame){
						       .function = frames[j].function,
						       .root = frames[j].root,
						       .file = frames[j].file,
						       .line = (uint32_t)MAX(frames[j].line, 0),
					       });
	}
}

/* Opens the file of a job. Returns NULL, and says why, if it is not the right one. */
static DebugObject *open_object(const LinesJob *job, GString *out)
{
	DebugObject *object = debug_object_new(job->fd);
	g_autofree char *found = object ? debug_object_build_id(object) : NULL;
	bool is_wrong = found && strcmp(found, job->build_id) != 0;
	bool has_debug = object && !is_wrong && debug_object_dwarf(object);

	/* The vmlinux of Debian's headers has neither build id nor debug data. */
	if (is_wrong || (has_debug && !found))
		g_string_append_printf(out, ANSWER_BUILD_ID " %s\n",
				       found ? found : ANSWER_NO_BUILD_ID);
	else if (!has_debug)
		g_string_append(out, ANSWER_NO_DEBUG "\n");
	return out->len ? NULL : object;
}

/* Lets the debug data have the file that they refer to. Returns false if they need one, and it was
   not given or is another one. */
static bool lines_child_complete(DebugObject *object, const LinesJob *job)
{
	g_autofree char *build_id = NULL;
	const char *name;

	if (job->supplement == SUPPLEMENT_MISSING ||
	    !debug_object_supplement(object, &name, &build_id))
		return true;
	return job->supplement == SUPPLEMENT_GIVEN &&
	       debug_object_set_supplement(object, job->supplement_fd);
}

static void answer_requests(DebugObject *object, const LinesJob *job, GString *out, int socket)
{
	g_autoptr(DebugLines) lines = debug_lines_new(debug_object_dwarf(object));

	g_string_append_printf(out, ANSWER_BUILD_ID " %s\n", job->build_id);
	for (guint i = 0; i < job->count; i++) {
		answer_request(object, lines, &job->requests[i], out);
		write_all(socket, out);
	}
}

/* The run() of the child. The process ends with the answer: it frees nothing. */
static void answer(int socket, const int *fds, void *data)
{
	LinesJob job = *(const LinesJob *)data;
	GString *out = g_string_new(NULL);
	DebugObject *object;
	const char *name;
	g_autofree char *build_id = NULL;

	job.fd = fds[0];
	job.supplement_fd = fds[1];
	object = open_object(&job, out);
	if (object && lines_child_complete(object, &job))
		answer_requests(object, &job, out, socket);
	else if (object && debug_object_supplement(object, &name, &build_id))
		g_string_append_printf(out, ANSWER_REFERS " %s %s\n", build_id, name);
	write_all(socket, out);
}

/* A kernel's file has up to 1.5 GB. It is mapped; compressed sections of it are not. */
static const ChildType lines_child = {
	.name = "kmt-lines",
	.rights = CHILD_READS,
	.limits = { .address_space_bytes = (uint64_t)16 << 30, .data_bytes = (uint64_t)2 << 30 },
	.run = answer,
};

/* In the program. */

LinesOutcome lines_child_read(GString *out, const LinesJob *job)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const int fds[] = { job->fd,
			    job->supplement == SUPPLEMENT_GIVEN ? job->supplement_fd : -1 };
	const ChildCall call = {
		.type = &lines_child,
		.fds = fds,
		.fds_count = G_N_ELEMENTS(fds),
		.data = unconst(job),
		.patience_ns = (uint64_t)job->patience_s * NS_PER_SECOND,
		.answer_bytes_max = ANSWER_BYTES_MAX,
	};
	char *problem;

	if (child_call(&call, text, &problem) != CHILD_ANSWERED)
		return (LinesOutcome){ .result = LINES_FAILED, .problem = problem };
	return lines_answer_take(out, (TextPart){ text->str, text->len }, job);
}
