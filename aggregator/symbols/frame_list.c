/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of a stack's frames with their strings, all in one allocation. Made for the screen's
 * thread, which must not borrow from the thread that counts.
 */
#include "symbols/frame_list.h"

#include <string.h>

/* Returns the bytes of a frame's strings. to: they are moved there; NULL: they are only counted. */
static gsize take_strings(Frame *frame, char *to)
{
	const char **const strings[] = { &frame->text, &frame->function, &frame->module,
					 &frame->file };
	gsize all = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(strings); i++) {
		gsize bytes = *strings[i] ? strlen(*strings[i]) + 1 : 0;

		if (to && bytes)
			*strings[i] = memcpy(to + all, *strings[i], bytes);
		all += bytes;
	}
	return all;
}

FrameList *frame_list_new(const Frame *frames, guint count)
{
	gsize frame_bytes = sizeof(FrameList) + count * sizeof(Frame), string_bytes = 0;
	FrameList *list;
	char *strings;

	for (guint i = 0; i < count; i++) {
		Frame frame = frames[i];

		string_bytes += take_strings(&frame, NULL);
	}
	list = g_malloc(frame_bytes + string_bytes);
	strings = (char *)list + frame_bytes;
	list->references = 1;
	list->count = count;
	for (guint i = 0; i < count; i++) {
		list->frames[i] = frames[i];
		strings += take_strings(&list->frames[i], strings);
	}
	return list;
}

FrameList *frame_list_ref(FrameList *list)
{
	if (list)
		g_atomic_int_inc(&list->references);
	return list;
}

void frame_list_unref(FrameList *list)
{
	if (list && g_atomic_int_dec_and_test(&list->references))
		g_free(list);
}

bool frame_list_equals(const FrameList *a, const FrameList *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->count != b->count)
		return false;
	for (guint i = 0; i < a->count; i++)
		if (!frame_equals(&a->frames[i], &b->frames[i]))
			return false;
	return true;
}
