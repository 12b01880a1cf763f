/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A key file of a preset, and a probe point of the command line. */
#include "probes/preset.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void expect_printable(const char *text)
{
	if (text)
		fuzz_expect_visible(text);
}

/* Groups and names become parts of paths below tracefs. */
static void expect_probe(const ProbeSpec *spec)
{
	expect_printable(spec->group);
	if (!spec->name || !*spec->name)
		abort();
	if (spec->type == PROBE_TRACEPOINT && (strchr(spec->group, '/') || strchr(spec->name, '/')))
		abort();
}

static void expect_probes(const GPtrArray *probes)
{
	if (probes && !probes->len)
		abort();
	for (guint i = 0; probes && i < probes->len; i++)
		expect_probe(probes->pdata[i]);
}

static void expect_point(const PresetPoint *point)
{
	if (!point->probe)
		abort();
	expect_probes(point->probe);
	expect_probes(point->begin);
	expect_probes(point->stap);
	expect_probes(point->stap_begin);
	expect_printable(point->name);
	expect_printable(point->missing);
	for (guint i = 0; i < point->values->len; i++) {
		const PresetValue *value = point->values->pdata[i];

		expect_printable(value->column);
		if (!value->formula.expression)
			abort();
	}
}

static void expect_preset(const Preset *preset)
{
	if (!preset->name || !preset->title || !preset->noun || !preset->points->len)
		abort();
	expect_printable(preset->name);
	expect_printable(preset->title);
	expect_printable(preset->description);
	expect_printable(preset->noun);
	expect_printable(preset->nouns);
	for (guint i = 0; i < preset->points->len; i++)
		expect_point(preset->points->pdata[i]);
}

static void expect_message(const GError *error)
{
	if (!error || !*error->message)
		abort();
	expect_printable(error->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	g_autoptr(GError) probe_error = NULL;
	g_autoptr(Preset) preset = preset_parse("fuzz", text, &error);
	g_autoptr(GPtrArray) probes = probe_alternatives_parse(text, &probe_error);

	if (preset)
		expect_preset(preset);
	else
		expect_message(error);
	if (probes)
		expect_probes(probes);
	else
		expect_message(probe_error);
	return 0;
}
