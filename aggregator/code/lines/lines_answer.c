/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the answer of the child of lines_child.c: only lines of places that were asked for, in
 * that order, are taken.
 */
#include "code/lines/lines_answer.h"

#include "base/build_id.h"

#include <limits.h>

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
static bool is_asked_for(Asked *asked, TextPart line)
{
	TextPart key;
	uint64_t offset;

	if (!text_part_is(text_part_next_word(&line), "l"))
		return false;
	key = text_part_next_word(&line);
	return text_part_hexadecimal(text_part_next_word(&line), &offset) &&
	       go_on_to(asked, key, offset);
}

static void take_lines(GString *out, TextPart rest, const LinesJob *job)
{
	Asked asked = { .job = job };
	TextPart line;

	while (text_part_next_line(&rest, &line) && is_asked_for(&asked, line)) {
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

static bool is_reference(const AnswerHead *head)
{
	return text_part_is(head->word, ANSWER_REFERS) && build_id_is_text(head->build_id) &&
	       head->name.length && head->name.length < PATH_MAX;
}

LinesOutcome lines_answer_take(GString *out, TextPart answer, const LinesJob *job)
{
	AnswerHead head = take_head(&answer);

	if (text_part_is(head.word, ANSWER_NO_DEBUG))
		return (LinesOutcome){ .result = LINES_NO_DEBUG };
	if (is_reference(&head))
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
