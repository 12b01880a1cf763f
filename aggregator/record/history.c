/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The encoding of a watch's history: texts as numbered lines, what changed in them, readings on one
 * axis of time, and which readings stay. tools/watch.c writes with it, by history_file.c;
 * session/watch_log.c reads. A text that a host showed, and a file, may contain anything.
 */
#include "record/history.h"

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "record/batch.h"
#include "record/batch_writer.h"
#include "record/format.h"

#include <string.h>

enum {
	KINDS_MAX = 16, /* of texts in a file */
	NUMBERS_OF_A_CACHE = 5,
};

typedef struct {
	uint8_t kind;
	GPtrArray *lines; /* (element-type utf8) by number; NULL: none, "": it is gone */
} Text;

struct HistoryLines {
	GArray *texts; /* (element-type Text) */
};

HistoryLines *history_lines_new(void)
{
	HistoryLines *lines = g_new0(HistoryLines, 1);

	lines->texts = g_array_new(FALSE, FALSE, sizeof(Text));
	return lines;
}

void history_lines_clear(HistoryLines *lines)
{
	for (guint i = 0; i < lines->texts->len; i++)
		g_ptr_array_unref(g_array_index(lines->texts, Text, i).lines);
	g_array_set_size(lines->texts, 0);
}

void history_lines_free(HistoryLines *lines)
{
	if (!lines)
		return;
	history_lines_clear(lines);
	g_array_unref(lines->texts);
	g_free(lines);
}

/* Returns the lines of a kind; NULL: it has none. */
static GPtrArray *lines_find(const HistoryLines *lines, uint8_t kind)
{
	for (guint i = 0; i < lines->texts->len; i++)
		if (g_array_index(lines->texts, Text, i).kind == kind)
			return g_array_index(lines->texts, Text, i).lines;
	return NULL;
}

/* ... NULL: there are too many kinds. */
static GPtrArray *lines_of(HistoryLines *lines, uint8_t kind)
{
	Text text = { kind, lines_find(lines, kind) };

	if (text.lines || lines->texts->len == KINDS_MAX)
		return text.lines;
	text.lines = g_ptr_array_new_with_free_func(g_free);
	g_array_append_val(lines->texts, text);
	return text.lines;
}

static const char *line_at(const GPtrArray *lines, guint number)
{
	return lines && number < lines->len ? lines->pdata[number] : NULL;
}

/* Takes the line. */
static void set_line(GPtrArray *lines, guint number, char *line)
{
	g_assert(number < HISTORY_LINES_MAX);
	if (number >= lines->len)
		g_ptr_array_set_size(lines, (gint)number + 1);
	g_free(lines->pdata[number]);
	lines->pdata[number] = line;
}

void history_lines_apply(HistoryLines *lines, uint8_t kind, TextPart text)
{
	GPtrArray *of_kind = lines_of(lines, kind);
	TextPart line;

	while (of_kind && text_part_next_line(&text, &line)) {
		TextPart word = text_part_next_word(&line);
		uint64_t number;

		if (!text_part_decimal(word, &number) || number >= HISTORY_LINES_MAX)
			continue;
		if (line.length && *line.text == ' ') {
			line.text++;
			line.length--;
		}
		set_line(of_kind, (guint)number, g_strndup(line.text, line.length));
	}
}

void history_lines_add(HistoryLines *lines, const HistoryLines *later)
{
	for (guint i = 0; i < later->texts->len; i++) {
		const Text *text = &g_array_index(later->texts, Text, i);
		GPtrArray *of_kind = lines_of(lines, text->kind);

		for (guint number = 0; of_kind && number < text->lines->len; number++)
			if (text->lines->pdata[number])
				set_line(of_kind, number, g_strdup(text->lines->pdata[number]));
	}
}

/* What changes. */

/* "NAME 1 2 3 4 5 : tunables ...": the name may contain blanks. */
static gsize cache_bytes(const char *line)
{
	const char *end = strstr(line, " : ");

	for (int i = 0; end && i < NUMBERS_OF_A_CACHE; i++)
		end = g_strrstr_len(line, end - line, " ");
	return end ? (gsize)(end - line) : strlen(line);
}

/* Returns how many bytes at the start of a line are its key. */
static gsize key_bytes(uint8_t kind, const char *line)
{
	switch (kind) {
	case KMT_BATCH_SLABINFO:
		return cache_bytes(line);
	case KMT_BATCH_INFO:
	case KMT_BATCH_MEMORY:
		return strcspn(line, " ");
	case KMT_BATCH_CGROUP_MEMORY: /* a path, or the key of a total */
		return strcspn(line, *line == '/' ? "\t" : " ");
	default:
		return strlen(line);
	}
}

typedef struct {
	const GPtrArray *lines; /* as they are; NULL: there are none */
	GPtrArray *changed;
	GHashTable *numbers; /* of lines by their keys (element-type utf8 guint), owned */
	bool *seen;          /* by number */
	guint next;          /* the first number that may be free */
	uint8_t kind;
} Comparison;

static char *key_of(const Comparison *comparison, const char *line)
{
	return g_strndup(line, key_bytes(comparison->kind, line));
}

static void number_lines(Comparison *comparison)
{
	for (guint i = 0; comparison->lines && i < comparison->lines->len; i++) {
		const char *line = line_at(comparison->lines, i);

		if (line && *line)
			g_hash_table_replace(comparison->numbers, key_of(comparison, line),
					     GUINT_TO_POINTER(i));
	}
}

/* A line that is gone leaves its number to a new one. */
static guint free_number(Comparison *comparison)
{
	while (comparison->next < HISTORY_LINES_MAX) {
		guint number = comparison->next++;
		const char *line = line_at(comparison->lines, number);

		if (!comparison->seen[number] && (!line || !*line))
			return number;
	}
	return HISTORY_LINES_MAX;
}

static void compare_line(Comparison *comparison, const char *line)
{
	g_autofree char *key = key_of(comparison, line);
	gpointer known;
	guint number;

	number = g_hash_table_lookup_extended(comparison->numbers, key, NULL, &known)
			 ? GPOINTER_TO_UINT(known)
			 : free_number(comparison);
	/* Two lines with one key: the first counts. */
	if (number == HISTORY_LINES_MAX || comparison->seen[number])
		return;
	comparison->seen[number] = true;
	if (g_strcmp0(line, line_at(comparison->lines, number)))
		set_line(comparison->changed, number, g_strdup(line));
}

static void drop_unseen(const Comparison *comparison)
{
	for (guint i = 0; comparison->lines && i < comparison->lines->len; i++) {
		const char *line = line_at(comparison->lines, i);

		if (line && *line && *line != '#' && !comparison->seen[i])
			set_line(comparison->changed, i, g_strdup(""));
	}
}

void history_lines_compare(const HistoryLines *lines, uint8_t kind, TextPart text,
			   HistoryLines *changes)
{
	Comparison comparison = {
		.lines = lines_find(lines, kind),
		.changed = lines_of(changes, kind),
		.numbers = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL),
		.seen = g_new0(bool, HISTORY_LINES_MAX),
		.kind = kind,
	};
	TextPart part;

	number_lines(&comparison);
	while (comparison.changed && text_part_next_line(&text, &part)) {
		g_autofree char *line = g_strndup(part.text, part.length);

		if (*line)
			compare_line(&comparison, line);
	}
	if (comparison.changed)
		drop_unseen(&comparison);
	g_hash_table_unref(comparison.numbers);
	g_free(comparison.seen);
}

/* Texts and batches. */

static GString *text_of(const GPtrArray *lines, bool with_numbers)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < lines->len; i++) {
		const char *line = lines->pdata[i];

		if (line && with_numbers)
			g_string_append_printf(text, "%u %s\n", i, line);
		else if (line && *line)
			g_string_append_printf(text, "%s\n", line);
	}
	return text;
}

static void write_text(const Text *text, GByteArray *out, uint64_t time_ns)
{
	GString *lines = text_of(text->lines, true);

	if (lines->len)
		batch_write_reading(out, KMT_BATCH_HISTORY, text->kind, time_ns, lines->str,
				    lines->len);
	g_string_free(lines, TRUE);
}

/* A reading begins with its facts. */
void history_lines_write(const HistoryLines *lines, GByteArray *out, uint64_t time_ns)
{
	for (int facts = 1; facts >= 0; facts--)
		for (guint i = 0; i < lines->texts->len; i++) {
			const Text *text = &g_array_index(lines->texts, Text, i);

			if ((text->kind == KMT_BATCH_INFO) == facts)
				write_text(text, out, time_ns);
		}
}

GString *history_lines_text(const HistoryLines *lines, uint8_t kind)
{
	const GPtrArray *of_kind = lines_find(lines, kind);

	return of_kind ? text_of(of_kind, false) : NULL;
}

/* Returns the value of a fact in the state; NULL: there is none. Borrowed. */
static const char *fact_of(const HistoryLines *state, const char *key)
{
	const GPtrArray *facts = lines_find(state, KMT_BATCH_INFO);

	for (guint i = 0; facts && i < facts->len; i++) {
		const char *line = facts->pdata[i];

		if (line && g_str_has_prefix(line, key) && line[strlen(key)] == ' ')
			return line + strlen(key) + 1;
	}
	return NULL;
}

/* Readings. */

struct HistoryReader {
	HistoryVisitor visit;
	void *user_data;
	HistoryLines *state;
	HistoryLines *changes;
	bool is_open; /* a reading has begun */
	bool has_time;
	uint64_t clock_ns; /* of the open reading */
	char *boot;        /* of the last one; NULL: none */
	HistoryTime time;  /* of the last one */
};

HistoryReader *history_reader_new(HistoryVisitor visit, void *user_data)
{
	HistoryReader *reader = g_new0(HistoryReader, 1);

	reader->visit = visit;
	reader->user_data = user_data;
	reader->state = history_lines_new();
	reader->changes = history_lines_new();
	return reader;
}

void history_reader_free(HistoryReader *reader)
{
	if (!reader)
		return;
	history_lines_free(reader->state);
	history_lines_free(reader->changes);
	g_free(reader->boot);
	g_free(reader);
}

/* Returns how long the open reading is after the last one. The clock on the wall may have been set
   back. */
static uint64_t step_of(const HistoryReader *reader, uint64_t realtime_ns, bool is_same_boot)
{
	const HistoryTime *last = &reader->time;

	if (is_same_boot && reader->clock_ns > last->clock_ns)
		return reader->clock_ns - last->clock_ns;
	return realtime_ns > last->realtime_ns ? realtime_ns - last->realtime_ns : 1;
}

static void set_time(HistoryReader *reader)
{
	const char *wall = fact_of(reader->state, HISTORY_REALTIME);
	const char *boot = fact_of(reader->state, HISTORY_BOOT);
	uint64_t realtime_ns = wall ? g_ascii_strtoull(wall, NULL, 10) : 0;
	bool is_same_boot = !g_strcmp0(boot, reader->boot);
	HistoryTime *time = &reader->time;

	if (reader->has_time) {
		saturate_add(&time->at_ns, step_of(reader, realtime_ns, is_same_boot));
		time->boot += !is_same_boot;
	} else {
		time->at_ns = MAX(reader->clock_ns, 1);
	}
	time->realtime_ns = realtime_ns;
	time->clock_ns = reader->clock_ns;
	reader->has_time = true;
	g_free(reader->boot);
	reader->boot = g_strdup(boot);
}

void history_reader_finish(HistoryReader *reader)
{
	if (!reader->is_open)
		return;
	reader->is_open = false;
	history_lines_add(reader->state, reader->changes);
	set_time(reader);
	if (reader->visit)
		reader->visit(&reader->time, reader->changes, reader->state, reader->user_data);
	history_lines_clear(reader->changes);
}

void history_reader_take(const Batch *batch, void *user_data)
{
	HistoryReader *reader = user_data;
	BatchText part = batch_text(batch);

	if (batch->header.kind != KMT_BATCH_HISTORY || !part.text || !part.epoch ||
	    part.epoch > G_MAXUINT8)
		return;
	if (part.epoch == KMT_BATCH_INFO) {
		history_reader_finish(reader);
		reader->is_open = true;
		reader->clock_ns = batch->header.base_time_ns;
	}
	history_lines_apply(reader->changes, (uint8_t)part.epoch,
			    (TextPart){ part.text, part.bytes });
}

/* Which readings stay. */

static double second_at(const GArray *times, guint index)
{
	return (double)g_array_index(times, uint64_t, index) / NS_PER_SECOND;
}

/* Returns the reading between first and last that is missed least: the square of the gap that it
   leaves, by its age. So the distance of readings grows with the root of their age: with 1,500
   readings of four weeks, from two minutes after an hour to an hour after four weeks. */
static guint missed_least(const GArray *times, const GArray *left)
{
	double newest = second_at(times, times->len - 1), least = G_MAXDOUBLE;
	guint result = 1;

	for (guint i = 1; i + 1 < left->len; i++) {
		double gap = second_at(times, g_array_index(left, guint, i + 1)) -
			     second_at(times, g_array_index(left, guint, i - 1));
		double age = newest - second_at(times, g_array_index(left, guint, i));
		double missed = gap * gap / MAX(age, 1);

		if (missed < least) {
			least = missed;
			result = i;
		}
	}
	return result;
}

GArray *history_choose(const GArray *times, guint most)
{
	GArray *stays = g_array_new(FALSE, TRUE, sizeof(bool));
	g_autoptr(GArray) left = g_array_new(FALSE, FALSE, sizeof(guint));

	g_array_set_size(stays, times->len);
	for (guint i = 0; i < times->len; i++)
		g_array_append_val(left, i);
	while (left->len > MAX(most, 2))
		g_array_remove_index(left, missed_least(times, left));
	for (guint i = 0; i < left->len; i++)
		g_array_index(stays, bool, g_array_index(left, guint, i)) = true;
	return stays;
}
