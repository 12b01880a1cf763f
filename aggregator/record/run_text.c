/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The small texts of a stream, by kind and reading, each bounded and paid from the budget.
 * session.c adds the batches; names/ and rates/ parse the texts when a report needs them.
 */
#include "record/run_text.h"

#include "record/format.h"
#include "record/batch.h"

#include <string.h>

enum {
	READINGS = KMT_READING_END + 1,
	TEXT_BYTES_MAX = 8 << 20, /* per text: enough for 100,000 cgroups */
	LINE_BYTES = 160,         /* of a line or name in a table, in addition to its characters */
};

/* The kinds of batches whose texts are kept. */
static const uint8_t kinds[] = {
	KMT_BATCH_CACHE_NAMES, KMT_BATCH_SLABINFO, KMT_BATCH_CGROUPS,
	KMT_BATCH_RECLAIMABLE, KMT_BATCH_MEMORY,   KMT_BATCH_CGROUP_MEMORY,
};
enum { KINDS = G_N_ELEMENTS(kinds) };

typedef struct {
	GString *text; /* owned; NULL: none */
	uint64_t time_ns;
} Kept;

struct RunText {
	MemoryBudget *memory; /* borrowed; NULL: unbounded */
	Kept kept[KINDS][READINGS];
};

RunText *run_text_new(void)
{
	return g_new0(RunText, 1);
}

void run_text_free(RunText *text)
{
	if (!text)
		return;
	for (int kind = 0; kind < KINDS; kind++)
		for (int reading = 0; reading < READINGS; reading++)
			if (text->kept[kind][reading].text)
				g_string_free(text->kept[kind][reading].text, TRUE);
	g_free(text);
}

void run_text_set_memory(RunText *text, MemoryBudget *memory)
{
	text->memory = memory;
}

/* Returns the memory of a text and of the tables that are later made of its lines. */
static size_t memory_of(const BatchText *part)
{
	size_t bytes = 2 * (size_t)part->bytes;

	for (const char *at = part->text, *end = at + part->bytes; at < end; at++)
		bytes += *at == '\n' || *at == '\t' ? LINE_BYTES : 0;
	return bytes;
}

/* Returns the place of a kind in kept[], or KINDS if its texts are not kept. */
static unsigned place_of(uint8_t kind)
{
	unsigned place = 0;

	while (place < KINDS && kinds[place] != kind)
		place++;
	return place;
}

static void run_text_append(RunText *text, uint8_t kind, BatchText part, uint64_t time_ns)
{
	unsigned place = place_of(kind);
	Kept *kept;

	if (place == KINDS || !part.text || part.epoch >= READINGS)
		return;
	kept = &text->kept[place][part.epoch];
	if (!kept->text) {
		kept->text = g_string_new(NULL);
		kept->time_ns = time_ns;
	}
	if (kept->text->len + part.bytes > TEXT_BYTES_MAX ||
	    !memory_budget_take(text->memory, MEMORY_TEXTS, memory_of(&part)))
		return;
	g_string_append_len(kept->text, part.text, part.bytes);
	if (kept->text->len && kept->text->str[kept->text->len - 1] != '\n')
		g_string_append_c(kept->text, '\n');
}

void run_text_read_batch(RunText *text, const Batch *batch)
{
	run_text_append(text, batch->header.kind, batch_text(batch), batch->header.base_time_ns);
}

void run_text_add_line(RunText *text, uint8_t kind, const char *line)
{
	run_text_append(text, kind, (BatchText){ .text = line, .bytes = (uint32_t)strlen(line) },
			0);
}

static const Kept *kept_of(const RunText *text, uint8_t kind, uint32_t reading)
{
	unsigned place = place_of(kind);

	return place < KINDS && reading < READINGS ? &text->kept[place][reading] : NULL;
}

const GString *run_text_of(const RunText *text, uint8_t kind, uint32_t reading)
{
	const Kept *kept = kept_of(text, kind, reading);

	return kept ? kept->text : NULL;
}

uint64_t run_text_time_ns(const RunText *text, uint8_t kind, uint32_t reading)
{
	const Kept *kept = kept_of(text, kind, reading);

	return kept ? kept->time_ns : 0;
}
