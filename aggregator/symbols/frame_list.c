/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of a stack's frames with their strings, all in one allocation. Made for the screen's
 * thread, which must not borrow from the thread that counts.
 */
#include "symbols/frame_list.h"

#include <string.h>

/* Sets pointers to the strings of a frame, ended by NULL. */
static void strings_of(Frame *frame, const char **strings[5])
{
	strings[0] = &frame->text;
	strings[1] = &frame->function;
	strings[2] = &frame->module;
	strings[3] = &frame->file;
	strings[4] = NULL;
}

static gsize string_bytes(const Frame *frames, guint count)
{
	gsize bytes = 0;

	for (guint i = 0; i < count; i++) {
		Frame frame = frames[i];
		const char **strings[5];

		strings_of(&frame, strings);
		for (int j = 0; strings[j]; j++)
			bytes += *strings[j] ? strlen(*strings[j]) + 1 : 0;
	}
	return bytes;
}

/* Moves the strings of a frame to that address. Returns the address after them. */
static char *take_strings(Frame *frame, char *to)
{
	const char **strings[5];

	strings_of(frame, strings);
	for (int i = 0; strings[i]; i++) {
		gsize bytes = *strings[i] ? strlen(*strings[i]) + 1 : 0;

		if (!bytes)
			continue;
		*strings[i] = memcpy(to, *strings[i], bytes);
		to += bytes;
	}
	return to;
}

FrameList *frame_list_new(const Frame *frames, guint count)
{
	gsize frame_bytes = sizeof(FrameList) + count * sizeof(Frame);
	FrameList *list = g_malloc(frame_bytes + string_bytes(frames, count));
	char *strings = (char *)list + frame_bytes;

	list->references = 1;
	list->count = count;
	for (guint i = 0; i < count; i++) {
		list->frames[i] = frames[i];
		strings = take_strings(&list->frames[i], strings);
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
