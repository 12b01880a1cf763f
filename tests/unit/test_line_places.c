/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "code/lines/line_resolver.h"

#include "leaks.h"
#include "lines_run.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(line_places);

static void start(LinesRun *run)
{
	lines_run_init(run);
	lines_run_text(run, KMT_BATCH_MODULES,
		       "kernel 0 0x0 0aaa\n"
		       "zram 65536 0xffffffffc0300000 0ddd\n"
		       "ext4 65536 0xffffffffc0100000 0bbb\n"
		       "anon 65536 0xffffffffc0200000 -\n");
	lines_run_text(run, KMT_BATCH_SECTIONS,
		       "ext4 .text 0xffffffffc0100000\n"
		       "ext4 .text.unlikely 0xffffffffc0108000\n"
		       "anon .text 0xffffffffc0200000\n");
}

/* Returns all requests as "KEY SECTION OFFSET@ADDRESS...", in order. The caller frees it. */
static char *requests_of(const LinePlaces *places)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < line_places_count(places); i++) {
		const GArray *requests = line_places_object(places, i)->requests;

		for (guint j = 0; j < requests->len; j++) {
			const LinesRequest *request = &g_array_index(requests, LinesRequest, j);
			GString *text = g_string_new(request->key);

			if (request->section)
				g_string_append_printf(text, " %s", request->section);
			for (guint k = 0; k < request->places->len; k++) {
				const LinesPlace *place =
					&g_array_index(request->places, LinesPlace, k);

				g_string_append_printf(text, " %lx", (unsigned long)place->offset);
				if (place->address)
					g_string_append_printf(text, "@%lx",
							       (unsigned long)place->address);
			}
			g_ptr_array_add(texts, g_string_free(text, FALSE));
		}
	}
	g_ptr_array_add(texts, NULL);
	return g_strjoinv(", ", (char **)texts->pdata);
}

static void expect_requests(LinePlaces *places, const LinesRun *run, const char *wanted)
{
	g_autofree char *text = NULL;

	line_places_update(places, run->session);
	text = requests_of(places);
	cr_expect_str_eq(text, wanted);
}

/* The innermost frame is where the code is; the others are behind a call. */
Test(line_places, calls_are_before_where_they_return_to)
{
	static const uint64_t frames[] = { LINES_TEXT + 0x10, LINES_TEXT + 0x20,
					   LINES_MODULE + 0x30 };
	static const uint64_t user_frames[] = { LINES_PROGRAM + 0x10, LINES_PROGRAM + 0x20 };
	g_autoptr(LinePlaces) places = line_places_new();
	LinesRun run;

	start(&run);
	lines_run_map(&run, "/usr/bin/worker", "0ccc", 0x401000);
	lines_run_hit(&run, frames, G_N_ELEMENTS(frames), user_frames, G_N_ELEMENTS(user_frames));
	expect_requests(places, &run,
			"k:0aaa 10 1f, m:0bbb:.text .text 2f, b:0ccc 1010@401010 101f@40101f");
	lines_run_clear(&run);
}

Test(line_places, a_place_is_asked_for_once)
{
	g_autoptr(LinePlaces) places = line_places_new();
	LinesRun run;

	start(&run);
	lines_run_kernel(&run, LINES_TEXT + 0x10);
	lines_run_kernel(&run, LINES_TEXT + 0x10);
	expect_requests(places, &run, "k:0aaa 10");
	expect_requests(places, &run, "");
	lines_run_kernel(&run, LINES_TEXT + 0x10);
	lines_run_kernel(&run, LINES_TEXT + 0x18);
	lines_run_kernel(&run, LINES_MODULE + 0x8010);
	expect_requests(places, &run, "k:0aaa 18, m:0bbb:.text.unlikely .text.unlikely 10");
	expect_requests(places, &run, "");
	cr_expect_eq(line_places_object(places, 0)->places, 2);
	lines_run_clear(&run);
}

/* The table of lines may have no room for all: which ones it drops shall not be chance. */
Test(line_places, requests_of_an_object_are_in_the_order_of_the_stacks)
{
	enum { SECTIONS = 12, SECTION_BYTES = 0x100 };
	g_autoptr(LinePlaces) places = line_places_new();
	g_autoptr(GString) sections = g_string_new(NULL);
	g_autoptr(GString) wanted = g_string_new(NULL);
	LinesRun run;

	start(&run);
	for (unsigned i = 1; i <= SECTIONS; i++)
		g_string_append_printf(sections, "ext4 .text.%u 0x%llx\n", i,
				       LINES_MODULE + (uint64_t)i * SECTION_BYTES);
	lines_run_text(&run, KMT_BATCH_SECTIONS, sections->str);
	for (unsigned i = SECTIONS; i > 0; i--) {
		lines_run_kernel(&run, LINES_MODULE + (uint64_t)i * SECTION_BYTES + 0x10);
		g_string_append_printf(wanted, "%sm:0bbb:.text.%u .text.%u 10",
				       wanted->len ? ", " : "", i, i);
	}
	expect_requests(places, &run, wanted->str);
	lines_run_clear(&run);
}

Test(line_places, objects_are_in_order_and_say_what_they_lack)
{
	static const struct {
		const char *name;
		CodeKind kind;
		bool has_build_id, has_requests;
	} objects[] = {
		{ "kernel", CODE_OF_KERNEL, true, true },
		{ "anon", CODE_OF_MODULE, false, false },
		{ "ext4", CODE_OF_MODULE, true, true },
		{ "zram", CODE_OF_MODULE, true, false },
		{ "/usr/bin/worker", CODE_OF_PROGRAM, true, false },
	};
	g_autoptr(LinePlaces) places = line_places_new();
	LinesRun run;

	start(&run);
	lines_run_map(&run, "/usr/bin/worker", "0ccc", 0);
	lines_run_user(&run, LINES_PROGRAM + 0x10);
	lines_run_kernel(&run, 0xffffffffc0300010);
	lines_run_kernel(&run, 0xffffffffc0200010);
	lines_run_kernel(&run, LINES_MODULE + 0x10);
	lines_run_kernel(&run, LINES_TEXT + 0x10);
	/* In nobody's code. */
	lines_run_kernel(&run, 0xffffffffc0900010);
	expect_requests(places, &run, "k:0aaa 10, m:0bbb:.text .text 10");
	cr_assert_eq(line_places_count(places), G_N_ELEMENTS(objects));
	for (guint i = 0; i < G_N_ELEMENTS(objects); i++) {
		const PlacedObject *object = line_places_object(places, i);

		cr_expect_str_eq(object->name, objects[i].name);
		cr_expect_eq(object->kind, objects[i].kind, "%s", object->name);
		cr_expect_eq(object->build_id != NULL, objects[i].has_build_id, "%s", object->name);
		cr_expect_eq(object->requests->len != 0, objects[i].has_requests, "%s",
			     object->name);
	}
	lines_run_clear(&run);
}

Test(line_places, a_program_outside_its_segments_has_no_place)
{
	g_autoptr(LinePlaces) places = line_places_new();
	LinesRun run;

	start(&run);
	lines_run_map(&run, "/usr/bin/worker", "0ccc", 0x401000);
	lines_run_text(&run, KMT_BATCH_MAPS,
		       "m 100 7 7ffff7c00000 10000 0 8:1 2b 0 0ccc /usr/bin/worker\n");
	lines_run_user(&run, 0x7ffff7c00010);
	lines_run_user(&run, 0x1234);
	expect_requests(places, &run, "");
	cr_expect_eq(line_places_count(places), 1);
	lines_run_clear(&run);
}
