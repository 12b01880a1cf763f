/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"
#include "record/batch_writer.h"
#include "record/event_writer.h"
#include "session/session.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

/* A recording with stacks in known code, batch by batch. */

#define LINES_TEXT 0xffffffff81000000ULL
#define LINES_MODULE 0xffffffffc0100000ULL
#define LINES_PROGRAM 0x555555554000ULL
#define LINES_SEGMENT "1000" /* where the file has what is mapped there */

typedef struct {
	Session *session; /* owned */
	EventCpu cpu;
} LinesRun;

static inline void lines_run_text(LinesRun *run, uint8_t kind, const char *text)
{
	made_session_feed_text(run->session, kind, text);
}

static inline void lines_run_init(LinesRun *run)
{
	static const InfoField fields[] = {
		{ KMT_FIELD_TEXT_START, LINES_TEXT, NULL },
		{ KMT_FIELD_TEXT_END, LINES_TEXT + (16 << 20), NULL },
	};
	g_autoptr(GByteArray) batch = g_byte_array_new();

	*run = (LinesRun){ .session = session_new(64 << 20), .cpu = { .sampling_period = 1 } };
	batch_write_info(batch, fields, G_N_ELEMENTS(fields));
	made_session_feed(run->session, batch);
}

static inline void lines_run_clear(const LinesRun *run)
{
	cr_expect_eq(batch_reader_totals(run->session->reader).damaged, 0);
	session_free(run->session);
}

/* Adds a hit of a process with tgid 7. A depth of 0: no such frames. */
static inline void lines_run_hit(LinesRun *run, const uint64_t *frames, uint32_t depth,
				 const uint64_t *user_frames, uint32_t user_depth)
{
	static const EventTask worker = { .tgid = 7, .tid = 7, .start_time_ns = 5, .comm = "w" };
	g_autoptr(EventWriter) writer = event_writer_new(made_session_take, run->session);

	event_writer_take_points(writer);
	event_writer_open(writer, &run->cpu);
	event_writer_add_hit(writer, &worker,
			     &(PointHit){
				     .time_ns = 1000000,
				     .weight = 1,
				     .depth = depth,
				     .frames = frames,
				     .user_depth = user_depth,
				     .user_frames = user_frames,
			     });
	event_writer_close(writer);
}

/* Adds a hit at one address of the kernel, or of the program. */
static inline void lines_run_kernel(LinesRun *run, uint64_t address)
{
	lines_run_hit(run, &address, 1, NULL, 0);
}

static inline void lines_run_user(LinesRun *run, uint64_t address)
{
	lines_run_hit(run, NULL, 0, &address, 1);
}

/* Maps a program. Its code is at the address of its mapping, and in the file at an address of its
   debug data; 0: that is not recorded. */
static inline void lines_run_map(LinesRun *run, const char *path, const char *build_id,
				 uint64_t address)
{
	g_autofree char *map =
		g_strdup_printf("m 100 7 %llx 10000 " LINES_SEGMENT " 8:1 2a 0 %s %s\n",
				LINES_PROGRAM, build_id, path);
	g_autofree char *segment = g_strdup_printf(
		"v b:%s " LINES_SEGMENT " 10000 %" G_GINT64_MODIFIER "x\n", build_id, address);

	lines_run_text(run, KMT_BATCH_MAPS, map);
	if (address)
		lines_run_text(run, KMT_BATCH_USER_SYMBOLS, segment);
}
