/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of SystemTap's stderr, bounded and cleaned: tables of patterns turn losses into numbers and
 * failures into one message. stap_run.c and stap_compile.c feed it.
 */
#include "collect/stap/stap_messages.h"

#include "collect/stap/stap_failures.h"
#include "base/escape.h"

#include <regex.h>
#include <string.h>
#include <sys/utsname.h>

/* The meaning of a number in a message. */
typedef enum {
	COUNT_NOTHING,
	COUNT_ERRORS,
	COUNT_SKIPPED,
	COUNT_SKIPPED_BY_CAUSE, /* parts of COUNT_SKIPPED, printed before or instead of it */
	COUNT_TRANSPORT_FAILURES,
	COUNT_LOST_MESSAGES,
	COUNT_LOST_BYTES,
	COUNT_RESYNCS, /* at least one lost message each; releases before 5.0 print no number */
	COUNT_KINDS,
} CountKind;

enum { GROUPS_MAX = 3 };

typedef struct {
	const char *pattern;          /* POSIX extended regular expression */
	CountKind counts[GROUPS_MAX]; /* of the number in each group */
} LossMessage;

/* All wordings since 4.0. */
static const LossMessage loss_messages[] = {
	{ "Number of errors: ([0-9]+), skipped probes: ([0-9]+)", { COUNT_ERRORS, COUNT_SKIPPED } },
	{ "Skipped due to .*: ([0-9]+)$", { COUNT_SKIPPED_BY_CAUSE } },
	{ "There were ([0-9]+) transport failures", { COUNT_TRANSPORT_FAILURES } },
	{ "There were ([0-9]+) lost messages(,| and) ([0-9]+) lost bytes",
	  { COUNT_LOST_MESSAGES, COUNT_NOTHING, COUNT_LOST_BYTES } },
	{ "bufhdr (read error|corrupt), attempting resync", { COUNT_RESYNCS } },
};

/* Printed on every run or after every failure, without use. */
static const char *const noise[] = {
	"WARNING: Kernel function symbol table missing*",
	"WARNING: */staprun exited with status: *",
	"WARNING: kbuild exited with status: *",
	"Tip: /usr/share/doc/*",
	"Pass ?: * failed.*",
	"",
};

/* A longer line is cut: the relevant part of every message is at its beginning. */
enum { LINE_BYTES_MAX = 4096 };

struct StapMessages {
	void (*pass_on)(const char *line, void *user_data);
	void *user_data;
	GString *line; /* without the part beyond LINE_BYTES_MAX */
	regex_t losses[G_N_ELEMENTS(loss_messages)];
	uint64_t counts[COUNT_KINDS];
	int failure_rank;
	char *failure;
	char *kernel_release;
	char *stap_version;
};

StapMessages *stap_messages_new(void (*pass_on)(const char *line, void *user_data), void *user_data)
{
	StapMessages *messages = g_new0(StapMessages, 1);
	struct utsname names;

	messages->pass_on = pass_on;
	messages->user_data = user_data;
	messages->line = g_string_new(NULL);
	messages->failure_rank = STAP_FAILURE_NONE;
	for (guint i = 0; i < G_N_ELEMENTS(loss_messages); i++)
		if (regcomp(&messages->losses[i], loss_messages[i].pattern, REG_EXTENDED))
			g_error("failed to allocate a regular expression");
	messages->kernel_release = g_strdup(uname(&names) == 0 ? names.release : "unknown");
	return messages;
}

void stap_messages_free(StapMessages *messages)
{
	if (!messages)
		return;
	for (guint i = 0; i < G_N_ELEMENTS(loss_messages); i++)
		regfree(&messages->losses[i]);
	g_string_free(messages->line, TRUE);
	g_free(messages->failure);
	g_free(messages->kernel_release);
	g_free(messages->stap_version);
	g_free(messages);
}

void stap_messages_set_pair(StapMessages *messages, const char *kernel_release,
			    const char *stap_version)
{
	g_free(messages->kernel_release);
	g_free(messages->stap_version);
	messages->kernel_release = g_strdup(kernel_release);
	messages->stap_version = g_strdup(stap_version);
}

/* Removes sequences that set a colour: ESC [ numbers letter. */
static void remove_colours(char *line)
{
	char *kept = line;

	while (*line) {
		const char *numbers = line[0] == '\x1b' && line[1] == '[' ? line + 2 : NULL;
		gsize length = numbers ? strspn(numbers, "0123456789;") : 0;

		if (numbers && g_ascii_isalpha(numbers[length]))
			line += 2 + length + 1;
		else
			*kept++ = *line++;
	}
	*kept = '\0';
}

static void enter_number(StapMessages *messages, CountKind kind, const char *digits)
{
	uint64_t number = g_ascii_strtoull(digits, NULL, 10);

	g_assert(kind < G_N_ELEMENTS(messages->counts));
	if (kind == COUNT_RESYNCS)
		number = 1;
	/* The summaries come once; a repetition would report the same losses again. */
	if (kind == COUNT_SKIPPED_BY_CAUSE || kind == COUNT_RESYNCS)
		number += messages->counts[kind];
	messages->counts[kind] = MAX(messages->counts[kind], number);
}

static bool read_loss(StapMessages *messages, const char *line)
{
	regmatch_t groups[GROUPS_MAX + 1]; /* the first is the whole match */

	for (guint i = 0; i < G_N_ELEMENTS(loss_messages); i++) {
		int result = regexec(&messages->losses[i], line, GROUPS_MAX + 1, groups, 0);

		if (result == REG_ESPACE)
			g_error("failed to allocate the match of a regular expression");
		if (result)
			continue;
		for (guint n = 0; n < GROUPS_MAX; n++) {
			CountKind kind = loss_messages[i].counts[n];

			if (kind != COUNT_NOTHING)
				enter_number(messages, kind, line + groups[n + 1].rm_so);
		}
		return true;
	}
	return false;
}

/* Returns whether the line is a known failure. */
static bool read_failure(StapMessages *messages, const char *line)
{
	int rank = stap_failure_find(line);

	if (rank == STAP_FAILURE_NONE)
		return false;
	if (messages->failure_rank == STAP_FAILURE_NONE || rank < messages->failure_rank) {
		g_free(messages->failure);
		messages->failure = stap_failure_describe(rank, line, messages->kernel_release,
							  messages->stap_version);
		messages->failure_rank = rank;
	}
	return !stap_failure_is_unknown(rank);
}

/* Takes or passes on the line, in a form that is safe for a terminal. */
static void finish_line(StapMessages *messages)
{
	g_autofree char *plain = g_strdup(messages->line->str);
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_truncate(messages->line, 0);
	remove_colours(plain);
	g_strdelimit(plain, "\t", ' ');
	escape_append(line, g_strchomp(plain));
	if (read_loss(messages, line->str) || read_failure(messages, line->str))
		return;
	for (guint i = 0; i < G_N_ELEMENTS(noise); i++)
		if (g_pattern_match_simple(noise[i], line->str))
			return;
	messages->pass_on(line->str, messages->user_data);
}

void stap_messages_feed(StapMessages *messages, const char *text, gsize length)
{
	while (length > 0) {
		const char *newline = memchr(text, '\n', length);
		gsize bytes = newline ? (gsize)(newline - text) : length;
		gsize room = LINE_BYTES_MAX - messages->line->len;

		g_string_append_len(messages->line, text, (gssize)MIN(bytes, room));
		if (!newline)
			return;
		finish_line(messages);
		text += bytes + 1;
		length -= bytes + 1;
	}
}

void stap_messages_finish(StapMessages *messages)
{
	if (messages->line->len > 0)
		finish_line(messages);
}

StapMessageTotals stap_messages_totals(const StapMessages *messages)
{
	const uint64_t *counts = messages->counts;

	return (StapMessageTotals){
		.skipped = MAX(counts[COUNT_SKIPPED], counts[COUNT_SKIPPED_BY_CAUSE]),
		.errors = counts[COUNT_ERRORS],
		.transport_failures = counts[COUNT_TRANSPORT_FAILURES],
		.lost_messages = MAX(counts[COUNT_LOST_MESSAGES], counts[COUNT_RESYNCS]),
		.lost_bytes = counts[COUNT_LOST_BYTES],
		.failure = messages->failure,
	};
}

bool stap_messages_may_be_poisoned_cache(const StapMessages *messages)
{
	return stap_failure_may_be_poisoned_cache(messages->failure_rank);
}
