/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locations, functions and mappings of a pprof profile, each written when first needed; tables
 * remember the ids. Mappings are written last, when their ranges are known.
 */
#include "render/data/pprof_writer.h"

#include "base/escape.h"
#include "base/keyed_hash.h"
#include "report/stack_paths.h"
#include "symbols/frame_line.h"

#include <string.h>

enum { CHUNK_BYTES = 64 << 10 };

/* A mapping, and what is known about its locations so far. */
typedef struct {
	Pprof__Mapping message;
	uint64_t loaded_at; /* 0: unknown */
} CodeMapping;

struct PprofCode {
	const ReportModel *model;
	PprofWriter *writer;
	GArray *location_of;     /* (element-type uint64_t) by FrameId; 0: none yet */
	GHashTable *of_inlined;  /* (element-type GBytes uint64_t) locations with inlined frames */
	GHashTable *functions;   /* (element-type utf8 uint) ids */
	GHashTable *mapping_ids; /* (element-type utf8 uint) */
	GArray *mappings;        /* (element-type CodeMapping) by id - 1 */
	GStringChunk *texts;     /* keys of functions and mappings */
	GArray *lines;           /* (element-type Pprof__Line) of the current location */
	GString *text;           /* being made */
	uint64_t locations;
};

/* Mappings. */

/* Returns the only file of code of this kind and name; NULL: none, or several with different build
   ids, of which none is known to be the right one. Programs have paths. */
static const CodeRow *find_file(const PprofCode *code, PathKind kind, const char *name)
{
	const bool is_program = kind == PATH_USER;
	const CodeRow *found = NULL;

	for (guint i = 0; i < code->model->code->len; i++) {
		const CodeRow *row = &g_array_index(code->model->code, CodeRow, i);
		g_autofree char *printable = NULL;

		if (row->is_section || is_program != (*row->name == '/'))
			continue;
		printable = escape_copy(is_program ? strrchr(row->name, '/') + 1 : row->name);
		if (!g_str_equal(printable, name))
			continue;
		if (found && g_strcmp0(found->build_id, row->build_id))
			return NULL;
		found = found ? found : row;
	}
	return found;
}

static void add_mapping(PprofCode *code, PathKind kind, const char *name)
{
	const CodeRow *row = find_file(code, kind, name);
	CodeMapping mapping = { .message = PPROF__MAPPING__INIT };

	/* What is in brackets is no file to pprof, which could look for its symbols. */
	g_string_truncate(code->text, 0);
	if (kind == PATH_USER && row)
		escape_append(code->text, row->name);
	else
		g_string_printf(code->text, kind == PATH_USER ? "%s" : "[%s]", name);
	mapping.message.id = code->mappings->len + 1;
	mapping.message.filename = pprof_writer_text(code->writer, code->text->str);
	if (row && row->build_id)
		mapping.message.build_id = pprof_writer_text(code->writer, row->build_id);
	mapping.message.has_functions = true;
	mapping.loaded_at = row ? row->address : 0;
	g_array_append_val(code->mappings, mapping);
}

/* Returns the mapping of a frame; NULL: unknown. It stays valid until the next one is added. */
static CodeMapping *mapping_of(PprofCode *code, const Frame *frame)
{
	PathKind kind = path_kind_of_frame(frame);
	gpointer id;

	if (!frame->module)
		return NULL;
	/* A library may have the name of a module. */
	g_string_printf(code->text, "%d %s", kind == PATH_USER, frame->module);
	if (!g_hash_table_lookup_extended(code->mapping_ids, code->text->str, NULL, &id)) {
		id = GUINT_TO_POINTER(code->mappings->len);
		g_hash_table_insert(code->mapping_ids,
				    g_string_chunk_insert(code->texts, code->text->str), id);
		add_mapping(code, kind, frame->module);
	}
	return &g_array_index(code->mappings, CodeMapping, GPOINTER_TO_UINT(id));
}

/* The range of a mapping is what was seen of it, from where it was loaded. */
static void pprof_code_widen(CodeMapping *mapping, uint64_t address)
{
	Pprof__Mapping *message = &mapping->message;
	uint64_t start = mapping->loaded_at ? MIN(mapping->loaded_at, address) : address;

	if (!address)
		return;
	if (!message->memory_limit || start < message->memory_start)
		message->memory_start = start;
	message->memory_limit = MAX(message->memory_limit, address + 1);
}

void pprof_code_write_mappings(PprofCode *code)
{
	for (guint i = 0; i < code->mappings->len; i++) {
		Pprof__Mapping *message = &g_array_index(code->mappings, CodeMapping, i).message;
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.n_mapping = 1;
		part.mapping = &message;
		pprof_writer_add(code->writer, &part);
	}
}

/* Functions. */

/* Returns the id of a frame's function, writing it if it is new. Names are escaped, so they have no
   line ends. */
static uint64_t function_of(PprofCode *code, const Frame *frame)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *message = &function;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	g_autofree char *name = NULL;
	gpointer id;

	g_string_truncate(code->text, 0);
	frame_line_append_name(code->text, frame);
	name = g_strdup(code->text->str);
	g_string_append_printf(code->text, "\n%s\n%s", frame->module ? frame->module : "",
			       frame->file ? frame->file : "");
	if (g_hash_table_lookup_extended(code->functions, code->text->str, NULL, &id))
		return GPOINTER_TO_UINT(id);
	id = GUINT_TO_POINTER(g_hash_table_size(code->functions) + 1);
	g_hash_table_insert(code->functions, g_string_chunk_insert(code->texts, code->text->str),
			    id);
	function.id = GPOINTER_TO_UINT(id);
	function.name = function.system_name = pprof_writer_text(code->writer, name);
	function.filename = frame->file ? pprof_writer_text(code->writer, frame->file) : 0;
	part.n_function = 1;
	part.function = &message;
	pprof_writer_add(code->writer, &part);
	return function.id;
}

/* Locations. */

static void add_line(PprofCode *code, const Frame *frame)
{
	Pprof__Line line = PPROF__LINE__INIT;

	line.function_id = function_of(code, frame);
	line.line = frame->line;
	g_array_append_val(code->lines, line);
}

static void note_lines(Pprof__Mapping *mapping, const Frame *frame)
{
	mapping->has_filenames |= frame->file != NULL;
	mapping->has_line_numbers |= frame->line > 0;
	mapping->has_inline_frames |= frame->inlined;
}

/* Of user code only an offset is known: in a function that is not known, that in the file. */
static uint64_t address_of(const Frame *frame)
{
	return frame->address_digits || frame->function ? frame->address : frame->offset;
}

/* Writes a location: frames that were inlined, and the one that they were inlined into. */
static void write_location(PprofCode *code, const FrameId *ids, uint32_t count)
{
	const StackRows *stacks = view_stack_rows(code->model->view);
	Frame last = stack_rows_frame(stacks, ids[count - 1]);
	CodeMapping *mapping = mapping_of(code, &last);
	Pprof__Location location = PPROF__LOCATION__INIT, *message = &location;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	g_autofree Pprof__Line **lines = g_new(Pprof__Line *, count);

	g_array_set_size(code->lines, 0);
	for (uint32_t i = 0; i < count; i++) {
		Frame frame = stack_rows_frame(stacks, ids[i]);

		add_line(code, &frame);
		if (mapping)
			note_lines(&mapping->message, &frame);
	}
	for (uint32_t i = 0; i < count; i++)
		lines[i] = &g_array_index(code->lines, Pprof__Line, i);
	if (mapping) {
		pprof_code_widen(mapping, address_of(&last));
		location.mapping_id = mapping->message.id;
	}
	location.id = code->locations;
	location.address = address_of(&last);
	location.n_line = count;
	location.line = lines;
	part.n_location = 1;
	part.location = &message;
	pprof_writer_add(code->writer, &part);
}

/* Returns the id of such a location, writing it if it is new. Most have one frame. */
static uint64_t location_of(PprofCode *code, const FrameId *ids, uint32_t count)
{
	uint64_t *kept = &g_array_index(code->location_of, uint64_t, ids[0]);

	if (count > 1) {
		g_autoptr(GBytes) key = g_bytes_new(ids, count * sizeof(*ids));

		kept = g_hash_table_lookup(code->of_inlined, key);
		if (!kept) {
			kept = g_new0(uint64_t, 1);
			g_hash_table_insert(code->of_inlined, g_bytes_ref(key), kept);
		}
	}
	if (!*kept) {
		*kept = ++code->locations;
		write_location(code, ids, count);
	}
	return *kept;
}

void pprof_code_append_stack(PprofCode *code, uint32_t stack, GArray *ids)
{
	const StackRows *stacks = view_stack_rows(code->model->view);
	uint32_t count, start = 0;
	const FrameId *frames = stack_rows_frames(stacks, stack, &count);

	for (uint32_t end = 1; end <= count; end++) {
		uint64_t id;

		if (end < count && stack_rows_frame(stacks, frames[end - 1]).inlined)
			continue;
		id = location_of(code, frames + start, end - start);
		g_array_append_val(ids, id);
		start = end;
	}
}

/* No order depends on this hash, and GLib's is not keyed: frames that were inlined come from
   debuginfo. */
PprofCode *pprof_code_new(const ReportModel *model, PprofWriter *writer)
{
	PprofCode *code = g_new0(PprofCode, 1);
	uint32_t frames = stack_rows_frame_ids_end(view_stack_rows(model->view));

	code->model = model;
	code->writer = writer;
	code->location_of = g_array_sized_new(FALSE, TRUE, sizeof(uint64_t), frames);
	g_array_set_size(code->location_of, frames);
	code->of_inlined = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						 (GDestroyNotify)g_bytes_unref, g_free);
	code->functions = g_hash_table_new(keyed_hash_text, g_str_equal);
	code->mapping_ids = g_hash_table_new(keyed_hash_text, g_str_equal);
	code->mappings = g_array_new(FALSE, FALSE, sizeof(CodeMapping));
	code->texts = g_string_chunk_new(CHUNK_BYTES);
	code->lines = g_array_new(FALSE, FALSE, sizeof(Pprof__Line));
	code->text = g_string_new(NULL);
	return code;
}

void pprof_code_free(PprofCode *code)
{
	if (!code)
		return;
	g_array_unref(code->location_of);
	g_hash_table_unref(code->of_inlined);
	g_hash_table_unref(code->functions);
	g_hash_table_unref(code->mapping_ids);
	g_array_unref(code->mappings);
	g_string_chunk_free(code->texts);
	g_array_unref(code->lines);
	g_string_free(code->text, TRUE);
	g_free(code);
}
