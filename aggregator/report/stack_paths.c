/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a model as paths of numbered functions, sorted, so that equal beginnings are
 * neighbours. Frames get their numbers by figure. For pictures, pprof and speedscope.
 */
#include "report/stack_paths.h"

#include "base/keyed_hash.h"
#include "symbols/frame_line.h"

enum { NONE = UINT32_MAX, NAMES_CHUNK_BYTES = 64 << 10 };

struct StackPaths {
	const ReportModel *model;
	bool by_line;
	guint process_key;
	guint stack_key;
	GArray *frames;      /* (element-type PathFrame) */
	GHashTable *numbers; /* (element-type utf8 uint) by the identity of a frame */
	GStringChunk *texts; /* names and identities */
	GArray *of_frame_id; /* (element-type uint32_t) by FrameId; NONE: not used */
	GArray *process_of;  /* (element-type uint32_t) by part */
	GArray *order;       /* (element-type uint32_t) parts in the order of their paths */
	GArray *path;        /* (element-type uint32_t) of the last call */
};

/* Returns the number of a frame, adding it if it is new. Its name is copied. */
static uint32_t stack_paths_intern(StackPaths *paths, PathFrame *frame, GString *identity)
{
	gpointer number;

	/* Names are escaped, so they have no line ends. */
	g_string_printf(identity, "%s\n%s\n%s\n%" G_GUINT32_FORMAT "\n%d", frame->name,
			frame->module ? frame->module : "", frame->file ? frame->file : "",
			frame->line, frame->kind == PATH_PROCESS);
	if (g_hash_table_lookup_extended(paths->numbers, identity->str, NULL, &number))
		return GPOINTER_TO_UINT(number);
	frame->name = g_string_chunk_insert(paths->texts, frame->name);
	g_array_append_val(paths->frames, *frame);
	g_hash_table_insert(
		paths->numbers,
		g_string_chunk_insert_len(paths->texts, identity->str, (gssize)identity->len),
		GUINT_TO_POINTER(paths->frames->len - 1));
	return paths->frames->len - 1;
}

/* Addresses are recorded of kernel code only. */
PathKind path_kind_of_frame(const Frame *frame)
{
	if (frame_is_of_program(frame))
		return PATH_USER;
	return !frame->module || g_str_equal(frame->module, "kernel") ? PATH_KERNEL : PATH_MODULE;
}

static const FrameId *frames_of_part(const StackPaths *paths, guint part, uint32_t *count)
{
	const GroupRows *parts = paths->model->parts;
	const GroupRow *row = &g_array_index(parts->rows, GroupRow, part);

	g_assert(part < parts->rows->len);
	return stack_rows_frames(view_stack_rows(paths->model->view),
				 group_rows_member(parts, row, paths->stack_key), count);
}

static inline uint32_t number_of(const StackPaths *paths, FrameId id)
{
	g_assert(id < paths->of_frame_id->len);
	return g_array_index(paths->of_frame_id, uint32_t, id);
}

static void number_frames(StackPaths *paths, guint part, GString *name, GString *identity)
{
	uint32_t count;
	const FrameId *ids = frames_of_part(paths, part, &count);

	for (uint32_t i = 0; i < count; i++) {
		Frame frame;
		PathFrame found;

		if (number_of(paths, ids[i]) != NONE)
			continue;
		frame = stack_rows_frame(view_stack_rows(paths->model->view), ids[i]);
		g_string_truncate(name, 0);
		frame_line_append_name(name, &frame);
		found = (PathFrame){
			.name = name->str,
			.module = frame.module,
			.file = paths->by_line ? frame.file : NULL,
			.line = paths->by_line ? frame.line : 0,
			.kind = path_kind_of_frame(&frame),
		};
		g_array_index(paths->of_frame_id, uint32_t, ids[i]) =
			stack_paths_intern(paths, &found, identity);
	}
}

static void number_process(StackPaths *paths, guint part, GString *name, GString *identity)
{
	const GroupRows *parts = paths->model->parts;
	PathFrame process = { .kind = PATH_PROCESS };
	uint32_t number;

	g_assert(part < parts->rows->len);
	g_string_truncate(name, 0);
	group_rows_append_label(parts, &g_array_index(parts->rows, GroupRow, part),
				paths->process_key, name);
	process.name = name->str;
	number = stack_paths_intern(paths, &process, identity);
	g_array_append_val(paths->process_of, number);
}

/* Frames have their numbers in the order of their first use: the larger figures come first. */
static int compare_parts(gconstpointer a, gconstpointer b, gpointer data)
{
	const StackPaths *paths = data;
	uint32_t part = *(const uint32_t *)a, other = *(const uint32_t *)b;
	uint32_t process = g_array_index(paths->process_of, uint32_t, part);
	uint32_t other_process = g_array_index(paths->process_of, uint32_t, other);
	uint32_t count, other_count;
	const FrameId *ids = frames_of_part(paths, part, &count);
	const FrameId *other_ids = frames_of_part(paths, other, &other_count);

	if (process != other_process)
		return process < other_process ? -1 : 1;
	while (count && other_count) {
		uint32_t number = number_of(paths, ids[--count]);
		uint32_t other_number = number_of(paths, other_ids[--other_count]);

		if (number != other_number)
			return number < other_number ? -1 : 1;
	}
	if (count || other_count)
		return count ? 1 : -1;
	return (part > other) - (part < other);
}

static GArray *numbers_new(uint32_t count)
{
	GArray *numbers = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), count);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t none = NONE;

		g_array_append_val(numbers, none);
	}
	return numbers;
}

StackPaths *stack_paths_new(const ReportModel *model, bool by_line)
{
	g_autoptr(GString) name = g_string_new(NULL);
	g_autoptr(GString) identity = g_string_new(NULL);
	StackPaths *paths = g_new0(StackPaths, 1);

	paths->model = model;
	paths->by_line = by_line;
	paths->process_key = dimensions_position(model->parts->keys, "process");
	paths->stack_key = dimensions_position(model->parts->keys, "stack");
	paths->frames = g_array_new(FALSE, FALSE, sizeof(PathFrame));
	paths->numbers = g_hash_table_new(keyed_hash_text, g_str_equal);
	paths->texts = g_string_chunk_new(NAMES_CHUNK_BYTES);
	paths->of_frame_id = numbers_new(stack_rows_frame_ids_end(view_stack_rows(model->view)));
	paths->process_of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	paths->order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	paths->path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (guint part = 0; part < model->parts->rows->len; part++) {
		number_process(paths, part, name, identity);
		number_frames(paths, part, name, identity);
		g_array_append_val(paths->order, part);
	}
	g_array_sort_with_data(paths->order, compare_parts, paths);
	return paths;
}

void stack_paths_free(StackPaths *paths)
{
	if (!paths)
		return;
	g_array_unref(paths->frames);
	g_hash_table_unref(paths->numbers);
	g_string_chunk_free(paths->texts);
	g_array_unref(paths->of_frame_id);
	g_array_unref(paths->process_of);
	g_array_unref(paths->order);
	g_array_unref(paths->path);
	g_free(paths);
}

const GArray *stack_paths_frames(const StackPaths *paths)
{
	return paths->frames;
}

guint stack_paths_count(const StackPaths *paths)
{
	return paths->order->len;
}

const GroupRow *stack_paths_part(const StackPaths *paths, guint position)
{
	g_assert(position < paths->order->len);
	return &g_array_index(paths->model->parts->rows, GroupRow,
			      g_array_index(paths->order, uint32_t, position));
}

const uint32_t *stack_paths_get(const StackPaths *paths, guint position, guint *count)
{
	uint32_t part = g_array_index(paths->order, uint32_t, position);
	uint32_t depth;
	const FrameId *ids = frames_of_part(paths, part, &depth);

	g_assert(position < paths->order->len);
	g_array_set_size(paths->path, 0);
	g_array_append_val(paths->path, g_array_index(paths->process_of, uint32_t, part));
	while (depth--) {
		uint32_t number = number_of(paths, ids[depth]);

		g_array_append_val(paths->path, number);
	}
	*count = paths->path->len;
	return (const uint32_t *)paths->path->data;
}
