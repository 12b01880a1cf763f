/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files with code of a session as rows: modules and sections with their addresses, and
 * programs. For --info and pprof.
 */
#include "report/model.h"

static void row_clear(gpointer data)
{
	CodeRow *row = data;

	g_free(row->name);
	g_free(row->build_id);
}

static void add_load(GArray *rows, const CodeLoad *load)
{
	const CodeObject *object = load->object;
	const CodeRow row = {
		.name = g_strdup(object->section ? object->section : object->name),
		.build_id = object->section ? NULL : g_strdup(object->build_id),
		.address = load->address,
		.is_section = object->section,
	};

	g_array_append_val(rows, row);
}

GArray *code_rows_new(const Session *session)
{
	g_autoptr(GArray) loads = code_objects_loads(session->code);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(CodeRow));

	g_array_set_clear_func(rows, row_clear);
	for (guint i = 0; i < loads->len; i++)
		add_load(rows, &g_array_index(loads, CodeLoad, i));
	for (uint32_t i = 1; i <= user_objects_count(session->user_objects); i++) {
		const UserObject *object = user_objects_get(session->user_objects, i);

		CodeRow row = { .address = 0 };

		if (object->type != USER_OBJECT_FILE)
			continue;
		row.name = g_strdup(object->path);
		row.build_id = user_build_id_text(&object->file);
		g_array_append_val(rows, row);
	}
	return rows;
}
