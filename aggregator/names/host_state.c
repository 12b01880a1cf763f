/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/host_state.h"

#include "base/text_part.h"

const char *const host_figure_keys[HOST_FIGURES] = {
	[HOST_MEMORY_TOTAL] = "total_bytes",
	[HOST_MEMORY_FREE] = "free_bytes",
	[HOST_MEMORY_AVAILABLE] = "available_bytes",
	[HOST_SLAB] = "slab_bytes",
	[HOST_SLAB_UNRECLAIMABLE] = "slab_unreclaimable_bytes",
	[HOST_MAJOR_FAULTS] = "major_faults",
	[HOST_RECLAIM_STALLS] = "reclaim_stalls",
	[HOST_OOM_KILLS] = "oom_kills",
	[HOST_PRESSURE_SOME_US] = "pressure_some_us",
	[HOST_PRESSURE_FULL_US] = "pressure_full_us",
};

/* Parses a number that fills the part. The text behind the part ends with a NUL. */
static bool parse_number(TextPart part, uint64_t *number)
{
	char *end;

	if (!part.length || !g_ascii_isdigit(*part.text))
		return false;
	*number = g_ascii_strtoull(part.text, &end, 10);
	return end == part.text + part.length && *number != UINT64_MAX;
}

static void take_line(HostState *state, TextPart line)
{
	TextPart key = text_part_next_word(&line);
	TextPart word = text_part_next_word(&line);
	uint64_t number;

	if (line.length || !parse_number(word, &number))
		return;
	for (int figure = 0; figure < HOST_FIGURES; figure++) {
		if (state->known[figure] || !text_part_is(key, host_figure_keys[figure]))
			continue;
		state->known[figure] = true;
		state->numbers[figure] = number;
	}
}

HostState host_state_parse(const GString *text)
{
	TextPart rest = { text ? text->str : "", text ? text->len : 0 };
	HostState state = { 0 };
	TextPart line;

	while (text_part_next_line(&rest, &line))
		take_line(&state, line);
	return state;
}

void host_state_append(GString *out, const HostState *state)
{
	for (int figure = 0; figure < HOST_FIGURES; figure++)
		if (state->known[figure])
			g_string_append_printf(out, "%s %" G_GUINT64_FORMAT "\n",
					       host_figure_keys[figure], state->numbers[figure]);
}
