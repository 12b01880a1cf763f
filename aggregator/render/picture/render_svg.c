/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "svg": a flame graph. Its boxes lie in percent of the width, and each is a picture
 * of its own, which cuts the text in it: so the picture fits any width. Names are shortened for
 * WIDTH_PX; the script in the file shortens them again for the real width.
 */
#include "render/picture/render_picture.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "base/text_stream.h"
#include "render/picture/page_strings.h"
#include "render/picture/page_plain.h"
#include "render/picture/page_texts.h"
#include "render/text/render_text.h"
#include "report/stack_paths.h"
#include "report/weights.h"

#include <string.h>

enum {
	WIDTH_PX = 1200,
	LINE_PX = 16,
	LEFT_PX = 8,
	LEGEND_PX = 22,
	TOOLS_PX = 30,
	BOX_PX = 17, /* distance of boxes; one is a pixel lower */
	TEXT_PX = 12,
	CHARACTER_TENTH_PX = 72,
	TEXT_MARGIN_PX = 6,
	NAME_CHARACTERS_MIN = 5,
	HEAD_CHARACTERS = 240, /* of a line of the run */
	PARTS_MAX = 2500,      /* smaller boxes than one of so many parts are left out: 0.5 px */
	SHADES = 6,
	PERCENT_UNITS = 10000, /* percent are written with four decimals */
};

typedef struct {
	const ReportModel *model;
	const Weight *weight;
	const FrameTree *tree;
	const GArray *frames; /* (element-type PathFrame) */
	uint64_t all;
	guint y; /* of what is written next, in px */
	GString *text;
	FILE *out;
} SvgWriter;

/* Head. */

/* How lines of text look. */
typedef struct {
	const char *css_class;
	guint height_px;
	glong characters; /* that fit into the width of a phone */
} LineStyle;

static const LineStyle title_lines = { "title", 22, 40 };
static const LineStyle fact_lines = { "fact", 16, 60 };
static const LineStyle warning_lines = { "fact warning", 16, 54 };

/* Writes a line, in parts that are narrow enough. */
static void write_line(SvgWriter *writer, const LineStyle *style, const char *line)
{
	while (*line) {
		const char *end = line + strlen(line);
		g_autofree char *part = NULL;

		/* At a blank, if there is one. */
		if (g_utf8_strlen(line, -1) > style->characters) {
			const char *most = g_utf8_offset_to_pointer(line, style->characters);

			for (end = most; end > line && *end != ' ';)
				end--;
			end = end > line ? end : most;
		}
		part = g_strndup(line, (gsize)(end - line));
		writer->y += style->height_px;
		g_string_truncate(writer->text, 0);
		page_append_text(writer->text, part);
		fprintf(writer->out, "<text class=\"%s\" x=\"%d\" y=\"%u\">%s</text>\n",
			style->css_class, LEFT_PX, writer->y, writer->text->str);
		line = *end == ' ' ? end + 1 : end;
	}
}

/* Appends a text of the run, if it is known. */
static void append_known(const Facts *facts, FactId id, const char *before, GString *line)
{
	if (!fact_is_known(facts, id))
		return;
	g_string_append_printf(line, "%s%s", line->len ? ", " : "", before);
	escape_append(line, fact_text(facts, id));
}

/* "2026-11-21T05:33:35Z, 0.670 s" */
static void append_times(const Facts *facts, GString *line)
{
	if (fact_is_known(facts, FACT_START_TIME)) {
		append_time(line, fact_number(facts, FACT_START_TIME));
		g_string_append(line, ", ");
	}
	if (fact_is_known(facts, FACT_DURATION))
		append_seconds(line, fact_number(facts, FACT_DURATION));
}

static void append_figure(const SvgWriter *writer, uint64_t figure, GString *out)
{
	g_string_append_printf(out, "%s: ", writer->weight->title);
	append_count(out, figure);
	if (writer->weight->type == VALUE_NS)
		g_string_append(out, " ns");
}

static void append_summary(const SvgWriter *writer, GString *line)
{
	const View *view = writer->model->view;
	uint64_t before = metric_figure(writer->weight->metric, &view->before);

	double margin = metric_margin(writer->weight->metric, &view->after);

	append_figure(writer, writer->all, line);
	if (margin > 0) {
		g_string_append(line, " (sampled, +-");
		append_margin(line, margin);
		g_string_append(line, " %)");
	}
	g_string_append(line, " in ");
	append_number_of(line, view->stacks->len, "stack");
	if (before > writer->all) {
		g_string_append(line, ", ");
		append_percent(line, writer->all, before);
		g_string_append(line, " of all before filters");
	}
}

static void append_left_out(const SvgWriter *writer, GString *line)
{
	if (!writer->tree->left_out)
		return;
	g_string_append(line, "Not drawn: below ");
	append_percent(line, 1, PARTS_MAX);
	g_string_append(line, ", together ");
	append_percent(line, writer->tree->left_out, writer->all);
	g_string_append(line, " of the width");
}

/* Appends the line about losses, if there were none: else it is a warning. */
static void append_no_loss(const Facts *facts, GString *line)
{
	if (!facts_have_no_loss(facts) || fact_number(facts, FACT_LOSS_IS_UNKNOWN))
		return;
	append_lost_line(line, facts);
	g_string_truncate(line, line->len - 1);
}

/* What a reader must know of a run that shows only a part of what happened. */
static const char *const head_lines[] = { "Traced command: ", "Part: ", "Dropped: ",
					  "Nothing to show: " };

/* Writes these lines, those of a long command in part. */
static void write_head_lines(SvgWriter *writer)
{
	g_auto(GStrv) lines = page_lines(writer->model);

	for (char **line = lines; *line; line++) {
		bool is_long = g_utf8_strlen(*line, -1) > HEAD_CHARACTERS;
		g_autofree char *cut = is_long ? g_utf8_substring(*line, 0, HEAD_CHARACTERS) : NULL;
		g_autofree char *with_dots = is_long ? g_strconcat(cut, "..", NULL) : NULL;
		gsize i = 0;

		while (i < G_N_ELEMENTS(head_lines) && !g_str_has_prefix(*line, head_lines[i]))
			i++;
		if (i < G_N_ELEMENTS(head_lines))
			write_line(writer, &fact_lines, is_long ? with_dots : *line);
	}
}

static void write_facts(SvgWriter *writer)
{
	enum { HOST, TIMES, SUMMARY, LEFT_OUT, LOSS, LINES };
	const Facts *facts = writer->model->facts;
	g_auto(GStrv) warnings = page_warnings(writer->model);
	GString *lines[LINES];

	for (guint i = 0; i < LINES; i++)
		lines[i] = g_string_new(NULL);
	append_known(facts, FACT_HOST, "", lines[HOST]);
	append_known(facts, FACT_RELEASE, "Linux ", lines[HOST]);
	append_known(facts, FACT_ARCH, "", lines[HOST]);
	append_times(facts, lines[TIMES]);
	append_summary(writer, lines[SUMMARY]);
	append_left_out(writer, lines[LEFT_OUT]);
	append_no_loss(facts, lines[LOSS]);
	for (guint i = 0; i < LINES; i++) {
		write_line(writer, &fact_lines, lines[i]->str);
		g_string_free(lines[i], TRUE);
	}
	write_head_lines(writer);
	for (char **line = warnings; *line; line++)
		write_line(writer, &warning_lines, *line);
}

static const char *const kind_names[PATH_KINDS] = {
	[PATH_PROCESS] = "process",
	[PATH_KERNEL] = "kernel",
	[PATH_MODULE] = "module",
	[PATH_USER] = "user",
};

static void write_legend(SvgWriter *writer)
{
	enum { KIND_PX = 86, COLOUR_PX = 12, NAME_PX = 18 };

	writer->y += LEGEND_PX;
	for (PathKind kind = 0; kind < PATH_KINDS; kind++) {
		int x = LEFT_PX + KIND_PX * (int)kind;

		fprintf(writer->out,
			"<rect class=\"%s\" x=\"%d\" y=\"%u\" width=\"%d\" height=\"%d\"/>"
			"<text class=\"fact\" x=\"%d\" y=\"%u\">%s</text>\n",
			kind_names[kind], x, writer->y - COLOUR_PX + 2, COLOUR_PX, COLOUR_PX,
			x + NAME_PX, writer->y, kind_names[kind]);
	}
}

/* Boxes. */

static void write_percent(SvgWriter *writer, const char *name, uint64_t part)
{
	double share = writer->all ? (double)part / (double)writer->all : 1;
	unsigned units = (unsigned)(share * 100 * PERCENT_UNITS + 0.5);

	fprintf(writer->out, " %s=\"%u.%04u%%\"", name, units / PERCENT_UNITS,
		units % PERCENT_UNITS);
}

/* Writes as much of a name as fits; nothing if that is too short to be read. */
static void write_name(SvgWriter *writer, const char *name, uint64_t figure)
{
	double share = writer->all ? (double)figure / (double)writer->all : 1;
	double room = (share * WIDTH_PX - TEXT_MARGIN_PX) * 10 / CHARACTER_TENTH_PX;
	guint characters = room > 0 ? (guint)room : 0;
	glong length = g_utf8_strlen(name, -1);
	g_autofree char *cut = NULL;

	if (length > characters && characters < NAME_CHARACTERS_MIN)
		return;
	if (length > characters)
		cut = g_utf8_substring(name, 0, characters - 2);
	g_string_truncate(writer->text, 0);
	page_append_text(writer->text, cut ? cut : name);
	fprintf(writer->out, "<text x=\"3\" y=\"%d\">%s%s</text>", TEXT_PX, writer->text->str,
		cut ? ".." : "");
}

static void write_box_title(SvgWriter *writer, const PathFrame *frame, uint64_t figure)
{
	GString *text = writer->text;

	g_string_truncate(text, 0);
	page_append_text(text, frame->name);
	if (frame->module) {
		g_string_append(text, "\n[");
		page_append_text(text, frame->module);
		g_string_append(text, "]");
	}
	g_string_append_c(text, '\n');
	append_figure(writer, figure, text);
	g_string_append(text, ", ");
	append_percent(text, figure, writer->all);
	fprintf(writer->out, "<title>%s</title>", text->str);
}

/* A name has the same shade in all pictures. */
static void write_box(SvgWriter *writer, const FrameTreeNode *node)
{
	bool is_all = node->frame == FRAME_TREE_ALL;
	PathFrame frame = { .name = "all", .kind = PATH_PROCESS };

	g_assert(is_all || node->frame < writer->frames->len);
	if (!is_all)
		frame = g_array_index(writer->frames, PathFrame, node->frame);

	fprintf(writer->out, "<svg class=\"%s s%u\"", is_all ? "all" : kind_names[frame.kind],
		g_str_hash(frame.name) % SHADES);
	write_percent(writer, "x", node->before);
	write_percent(writer, "width", node->figure);
	fprintf(writer->out, " y=\"%u\" height=\"%d\">",
		writer->y + BOX_PX * (writer->tree->depth_max - node->depth), BOX_PX - 1);
	write_box_title(writer, &frame, node->figure);
	fputs("<rect width=\"100%\" height=\"100%\"/>", writer->out);
	write_name(writer, frame.name, node->figure);
	fputs("</svg>\n", writer->out);
}

static void write_boxes(SvgWriter *writer)
{
	fputs("<g id=\"graph\">\n", writer->out);
	for (guint i = 0; i < writer->tree->nodes->len; i++)
		write_box(writer, &g_array_index(writer->tree->nodes, FrameTreeNode, i));
	fputs("</g>\n", writer->out);
	writer->y += BOX_PX * (writer->tree->depth_max + 1) + LINE_PX;
	fprintf(writer->out, "<text id=\"details\" class=\"fact\" x=\"%d\" y=\"%u\"></text>\n",
		LEFT_PX, writer->y);
}

/* The title is as "kmalloc-top: bytes allocated", "Waiting for memory to be reclaimed: time". */
static void write_head(SvgWriter *writer)
{
	const ReportModel *model = writer->model;
	const char *of_points = fact_text(model->facts, FACT_POINTS_TITLE);
	g_autoptr(GString) title = g_string_new(NULL);

	escape_append(title, of_points ? of_points : model->source->command);
	g_string_append_printf(title, ": %s", writer->weight->title);
	page_append_caches(model, title);
	page_append_text(writer->text, title->str);
	fprintf(writer->out, "<title>%s</title>\n<style>\n%s</style>\n", writer->text->str,
		graph_css);
	fputs("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", writer->out);
	write_line(writer, &title_lines, title->str);
	write_facts(writer);
	write_legend(writer);
	/* The place for what the script adds. */
	fprintf(writer->out,
		"<foreignObject x=\"%d\" y=\"%u\" width=\"100%%\" height=\"%d\">"
		"<div xmlns=\"http://www.w3.org/1999/xhtml\" id=\"tools\"></div></foreignObject>\n",
		LEFT_PX, writer->y + LEGEND_PX - LINE_PX, TOOLS_PX - 4);
	writer->y += TOOLS_PX;
}

/* The height of the picture comes before the head, which makes it. */
static void write_picture(SvgWriter *writer, FILE *out)
{
	/* What follows the head: boxes, and the line below them. */
	const guint boxes_px = BOX_PX * (writer->tree->depth_max + 1) + 2 * LINE_PX;
	TextStream stream;
	char *head;

	text_stream_open(&stream);
	writer->out = stream.out;
	write_head(writer);
	head = text_stream_close(&stream);
	writer->out = out;
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\">\n",
		WIDTH_PX, writer->y + boxes_px);
	fputs(head, out);
	free(head);
	write_boxes(writer);
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", graph_js);
}

void render_svg(const ReportModel *model, FILE *out)
{
	g_autoptr(GArray) weights = weights_new(model);
	const Weight *weight = &g_array_index(weights, Weight, weights_rank(weights, model));
	g_autoptr(StackPaths) paths = stack_paths_new(model, false);
	g_autoptr(FrameTree) tree = frame_tree_new(paths, weight->metric, PARTS_MAX);
	g_autoptr(GString) text = g_string_new(NULL);
	SvgWriter writer = {
		.model = model,
		.weight = weight,
		.tree = tree,
		.frames = stack_paths_frames(paths),
		.all = g_array_index(tree->nodes, FrameTreeNode, 0).figure,
		.text = text,
	};

	write_picture(&writer, out);
}
