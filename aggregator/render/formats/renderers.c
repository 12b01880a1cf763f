/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of renderers: the name for --format, the kinds of reports, traits, and how stacks are
 * divided.
 */
#include "render/formats/renderers.h"

#include "config.h"
#include "render/data/render_data.h"
#include "render/picture/render_picture.h"
#include "render/text/render_text.h"

enum {
	ALL_REPORTS = RENDERS(REPORT_STACKS) | RENDERS(REPORT_SLABSTACK) |
		      RENDERS(REPORT_SLAB_CACHES) | RENDERS(REPORT_INFO) |
		      RENDERS(REPORT_INTERVAL) | RENDERS(REPORT_DIFF),
	OF_STACKS = RENDERS(REPORT_STACKS) | RENDERS(REPORT_SLABSTACK),
	OF_DIFFS = OF_STACKS | RENDERS(REPORT_DIFF),
	OF_ROWS = OF_DIFFS | RENDERS(REPORT_SLAB_CACHES) | RENDERS(REPORT_INTERVAL),
};

/* Each row of a table for other programs. */
#define ROW_PARTS "stack,process,cache,point,cgroup,callsite"

#ifdef HAVE_PROTOBUF_C
#define RENDER_PPROF render_pprof
#else
#define RENDER_PPROF NULL
#endif

const Renderer renderers[] = {
	{ "text", "for people", ALL_REPORTS, 0, NULL, render_text },
	{ "json", "for programs: one document", ALL_REPORTS, RENDER_WHOLE_NAMES, NULL,
	  render_json },
	{ "ndjson", "for databases: a JSON object for each row", OF_ROWS,
	  RENDER_WHOLE_NAMES | RENDER_RUNS, ROW_PARTS, render_ndjson },
	{ "csv", "for spreadsheets: the same rows, separated by commas", OF_ROWS,
	  RENDER_WHOLE_NAMES | RENDER_RUNS, ROW_PARTS, render_csv },
	{ "folded", "for flamegraph.pl and others: a line for each stack", OF_DIFFS,
	  RENDER_WHOLE_NAMES | RENDER_STACKS | RENDER_ONCE, "process,stack", render_folded },
	{ "speedscope", "for speedscope.app: a profile for each figure", OF_STACKS,
	  RENDER_WHOLE_NAMES | RENDER_STACKS | RENDER_ONCE, "process,stack", render_speedscope },
	{ "pprof", "for go tool pprof: a profile, compressed", OF_STACKS,
	  RENDER_WHOLE_NAMES | RENDER_STACKS | RENDER_ONCE | RENDER_BINARY | RENDER_TO_FILE |
		  RENDER_CODE,
	  "stack,process,cache,point,cgroup", RENDER_PPROF },
	{ "html", "for people: a page with pictures", OF_DIFFS | RENDERS(REPORT_SLAB_CACHES),
	  RENDER_WHOLE_NAMES | RENDER_STACKS | RENDER_ONCE | RENDER_TO_FILE | RENDER_CHART |
		  RENDER_STACKS_COMPARED,
	  ROW_PARTS, render_html },
	{ "svg", "for people: a flame graph", OF_STACKS,
	  RENDER_WHOLE_NAMES | RENDER_STACKS | RENDER_ONCE | RENDER_TO_FILE, "process,stack",
	  render_svg },
	{ "prometheus", "for Prometheus and PCP: counters of all caches", RENDERS(REPORT_INTERVAL),
	  RENDER_WHOLE_NAMES | RENDER_TOTALS, NULL, render_prometheus },
	{ NULL, NULL, 0, 0, NULL, NULL },
};

const Renderer *renderer_lookup(const char *name)
{
	for (const Renderer *renderer = renderers; renderer->name; renderer++)
		if (g_str_equal(renderer->name, name))
			return renderer;
	return NULL;
}
