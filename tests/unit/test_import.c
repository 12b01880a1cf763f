/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "import/import.h"
#include "import/import_types.h"
#include "leaks.h"
#include "names/cache_names.h"
#include "session/losses.h"
#include "symbols/frame_line.h"
#include "temporary.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(import);

enum { MEMORY_BYTES = 64 << 20 };

#define FRAME_A " 0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]\n"
#define FRAME_B " 0xffffffff8002a1c4 : __alloc_skb+0x6d/0x14a [kernel]\n"

/* What an importer made of a text. */
typedef struct {
	Session *session;
	Profile *profile; /* of the session */
	uint64_t unreadable;
} Imported;

static Imported import_chunked(const ImportType *type, const char *text, size_t length,
			       size_t chunk)
{
	Imported imported = { .session = session_new(MEMORY_BYTES) };
	void *state = import_begin(type, imported.session);

	imported.profile = imported.session->profile;
	for (size_t at = 0; at < length; at += chunk)
		import_feed(state, text + at, MIN(chunk, length - at));
	imported.unreadable = import_finish(state);
	return imported;
}

static Imported import_text(const ImportType *type, const char *text)
{
	return import_chunked(type, text, strlen(text), strlen(text));
}

static char *stack_text(const Profile *profile, StackId id)
{
	uint32_t length;
	const char *bytes = stack_table_bytes(profile_stacks(profile), id, &length);

	return g_strndup(bytes, length);
}

/* Events counted at the stack of this text, over all tasks; UINT64_MAX: no such stack. */
static uint64_t events_of(const Profile *profile, const char *text)
{
	uint64_t events = UINT64_MAX;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		StackId id = profile_origin(profile, cell->origin)->stack;

		if (id == STACK_ID_NONE)
			continue;
		g_autofree char *found = stack_text(profile, id);

		if (!strcmp(found, text))
			events = (events == UINT64_MAX ? 0 : events) + cell->events;
	}
	return events;
}

static uint32_t stacks_of(const Profile *profile)
{
	return stack_table_count(profile_stacks(profile));
}

static const ProfileCell *cell_with_comm(const Profile *profile, const char *comm)
{
	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		if (cell->events > 0 && !strcmp(profile_task(profile, cell->task)->comm, comm))
			return cell;
	}
	return NULL;
}

Test(import, the_perl_stream_adds_up_equal_stacks)
{
	g_autofree char *text = test_data("import", "hashkey.txt");
	Imported imported = import_text(&import_hashkey, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u32, stacks_of(profile), 2));
	cr_expect(eq(u64, profile_totals(profile).events, 147));
	cr_expect(eq(u64,
		     events_of(profile, FRAME_A FRAME_B
			       " 0xffffffff80258c54 : tcp_sendmsg+0x184/0xb15 [kernel]\n"),
		     19));
	cr_expect(profile_stack_kind(profile) == STACK_TEXT);
}

Test(import, a_perl_record_without_frames_counts)
{
	Imported imported =
		import_text(&import_hashkey, "<hashkey>\n</hashkey>\n<hashval>3</hashval>\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, profile_totals(profile).events, 3));
	cr_expect(eq(u64, events_of(profile, ""), 3));
}

Test(import, junk_between_perl_records_is_unreadable)
{
	Imported imported = import_text(&import_hashkey,
					"hello from the command\n\n"
					"<hashkey>\n" FRAME_A "</hashkey>\n<hashval>3</hashval>\n"
					"more\n</hashkey>\n"
					"<hashkey>\n" FRAME_A "</hashkey>\n<hashval>4</hashval>\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, events_of(profile, FRAME_A), 7));
	cr_expect(eq(u64, imported.unreadable, 3));
}

Test(import, a_perl_record_that_is_cut_by_the_next_is_unreadable)
{
	Imported imported = import_text(&import_hashkey, "<hashkey>\n" FRAME_A "<hashkey>\n" FRAME_B
							 "</hashkey>\n<hashval>4</hashval>\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u32, stacks_of(profile), 1));
	cr_expect(eq(u64, events_of(profile, FRAME_B), 4));
	cr_expect(eq(u64, imported.unreadable, 2));
}

Test(import, a_perl_record_that_the_end_cuts_is_unreadable)
{
	Imported imported =
		import_text(&import_hashkey, "<hashkey>\n" FRAME_A "</hashkey>\n<hashv");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, profile_totals(profile).events, 0));
	cr_expect(eq(u64, imported.unreadable, 4));
}

Test(import, a_perl_record_at_the_end_needs_no_newline)
{
	Imported imported = import_text(&import_hashkey,
					"<hashkey>\n" FRAME_A "</hashkey>\n<hashval>5</hashval>");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, events_of(profile, FRAME_A), 5));
	cr_expect(eq(u64, imported.unreadable, 0));
}

static struct bad_count {
	char value[32];
} bad_counts[] = { { "" }, { "-1" }, { "1x" }, { "99999999999999999999" }, { "1e3" } };

ParameterizedTestParameters(import, a_perl_count_is_a_number)
{
	return cr_make_param_array(struct bad_count, bad_counts, G_N_ELEMENTS(bad_counts));
}

ParameterizedTest(struct bad_count *row, import, a_perl_count_is_a_number)
{
	g_autofree char *text = g_strdup_printf(
		"<hashkey>\n" FRAME_A "</hashkey>\n<hashval>%s</hashval>\n", row->value);
	Imported imported = import_text(&import_hashkey, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, profile_totals(profile).events, 0), "%s", row->value);
	cr_expect(eq(u64, imported.unreadable, 4), "%s", row->value);
}

Test(import, carriage_returns_at_line_ends_are_no_part_of_a_stack)
{
	static const char text[] = "<hashkey>\r\n foo\r\n b\ra\r\n</hashkey>\r\n"
				   "<hashval>2</hashval>\r\n";
	Imported imported = import_text(&import_hashkey, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, events_of(profile, " foo\n b\ra\n"), 2));
	cr_expect(eq(u64, imported.unreadable, 0));
}

Test(import, a_nul_is_a_byte_like_any_other)
{
	static const char text[] = "<hashkey>\na\0b\n</hashkey>\n<hashval>2</hashval>\n";
	Imported imported = import_chunked(&import_hashkey, text, sizeof(text) - 1, 5);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;
	uint32_t length;

	stack_table_bytes(profile_stacks(profile), 0, &length);
	cr_expect(eq(u32, length, 4));
	cr_expect(eq(u64, profile_totals(profile).events, 2));
}

Test(import, a_perl_stack_beyond_all_bounds_is_unreadable)
{
	g_autoptr(GString) text = g_string_new("<hashkey>\n");

	for (int i = 0; i < 10000; i++)
		g_string_append(text, FRAME_A);
	g_string_append(text, "</hashkey>\n<hashval>2</hashval>\n"
			      "<hashkey>\n" FRAME_A "</hashkey>\n<hashval>3</hashval>\n");
	Imported whole = import_text(&import_hashkey, text->str);
	Imported pieces = import_chunked(&import_hashkey, text->str, text->len, 4096);
	g_autoptr(Session) a_session = whole.session;
	const Profile *a = whole.profile;
	g_autoptr(Session) b_session = pieces.session;
	const Profile *b = pieces.profile;

	cr_expect(eq(u64, profile_totals(a).events, 3));
	cr_expect(eq(u64, profile_totals(b).events, 3));
	cr_expect(eq(u64, whole.unreadable, 10003));
	cr_expect(eq(u64, pieces.unreadable, 10003));
}

Test(import, counted_stacks_are_read)
{
	g_autofree char *text = test_data("import", "counted.txt");
	Imported imported = import_text(&import_count_text, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u32, stacks_of(profile), 3));
	cr_expect(eq(u64, profile_totals(profile).events, 47));
	cr_expect(eq(u64,
		     events_of(profile,
			       " 0xffffffff800d9d3b : __kmalloc+0x0/0x9f\n"
			       " 0xffffffff8120e3b5 : foo+0x25/0x30 [ext4] (inexact)\n"
			       " 0xffffffff8120e3b5 : foo+0x25/0x30 at fs/ext4/x.c:123 [ext4]\n"
			       " 0xffffffff8120e3b5\n"),
		     30),
		  "the frame in SystemTap's module is left out");
	cr_expect(
		eq(u64, events_of(profile, " 0xffffffff800d9d3b\n 0xffffffff8002a1c4\n 0x2\n"), 5));
}

Test(import, a_stack_without_its_count_is_unreadable)
{
	Imported imported = import_text(&import_count_text, FRAME_A "3\n" FRAME_A FRAME_B);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, profile_totals(profile).events, 3));
	cr_expect(eq(u64, imported.unreadable, 2));
}

Test(import, junk_among_counted_stacks_is_unreadable)
{
	Imported imported =
		import_text(&import_count_text, FRAME_A "3\nWARNING: junk\n" FRAME_A "4\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, events_of(profile, FRAME_A), 7));
	cr_expect(eq(u64, imported.unreadable, 1));
}

Test(import, a_count_without_frames_is_an_event_without_a_stack)
{
	Imported imported = import_text(&import_count_text, FRAME_A "3\n\n4\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, profile_totals(profile).events, 7));
	cr_expect(eq(u64, events_of(profile, ""), 4));
}

Test(import, stacks_behind_header_lines_are_one_event_each)
{
	g_autofree char *text = test_data("import", "events.txt");
	Imported imported = import_text(&import_count_text, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, profile_totals(profile).events, 4));
	cr_expect(eq(u32, stacks_of(profile), 3), "the stack that was not taken is one of them");
	cr_expect(eq(u64,
		     events_of(profile, FRAME_A
			       " 0xffffffff8805f2d1 : ext3_htree_store_dirent+0x34/0x124 [ext3]\n"),
		     2));
}

#define SUMMARY "Num stacks before filtering: 2\nTotal kmallocs (before filtering): 15\n"

Test(import, the_stacks_of_a_report_count_as_often_as_they_were_seen)
{
	g_autofree char *text = test_data("import", "report.txt");
	Imported imported = import_text(&import_report, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u32, stacks_of(profile), 2));
	cr_expect(eq(u64, events_of(profile, FRAME_A FRAME_B), 12));
	cr_expect(eq(u64, events_of(profile, " 0xffffffff800d9d3b\n 0x2\n"), 3));
}

Test(import, a_stack_of_a_report_is_what_it_says)
{
	Imported imported = import_text(&import_report, "This path seen 2 times:\nfoo bar\n\n"
							"This path seen 3 times:\n\n"
							"This path seen 4 times:\n" FRAME_A);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, events_of(profile, "foo bar\n"), 2));
	cr_expect(eq(u64, events_of(profile, ""), 3));
	cr_expect(eq(u64, events_of(profile, FRAME_A), 4), "it ends with the text");
}

Test(import, frames_of_a_report_without_their_count_are_unreadable)
{
	Imported imported = import_text(&import_report,
					FRAME_B "\nThis path seen x times:\n" FRAME_A FRAME_B
						"\nThis path seen 4 times:\n" FRAME_A "\n" SUMMARY);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 3));
	cr_expect(eq(u64, profile_totals(profile).events, 4));
}

Test(import, a_second_report_does_not_count)
{
	Imported imported =
		import_text(&import_report, "This path seen 4 times:\n" FRAME_A "\n" SUMMARY
					    "This path seen 9 times:\n" FRAME_A "\n" SUMMARY);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 2));
	cr_expect(eq(u64, events_of(profile, FRAME_A), 4));
}

Test(import, what_a_report_lost_is_not_passed_over)
{
	Imported imported =
		import_text(&import_report, "This path seen 4 times:\n" FRAME_A "\n" SUMMARY
					    "Lost: 21 events (0.24 %): transport 21\n");
	g_autoptr(Session) profile_session = imported.session;

	cr_expect(eq(u64, imported.unreadable, 1));
}

Test(import, a_line_beyond_all_bounds_is_unreadable)
{
	g_autofree char *junk = g_strnfill(100000, 'x');
	g_autofree char *text = g_strdup_printf("%s\n" FRAME_A "2\n", junk);
	Imported whole = import_text(&import_count_text, text);
	Imported pieces = import_chunked(&import_count_text, text, strlen(text), 1000);
	g_autoptr(Session) a_session = whole.session;
	const Profile *a = whole.profile;
	g_autoptr(Session) b_session = pieces.session;
	const Profile *b = pieces.profile;

	cr_expect(eq(u64, whole.unreadable, 1));
	cr_expect(eq(u64, pieces.unreadable, 1));
	cr_expect(eq(u64, profile_totals(a).events, 2));
	cr_expect(eq(u64, profile_totals(b).events, 2));
}

/* Two users of a tracepoint are called through a function of its own; a tracer may be a module. */
Test(import, frames_of_tracers_are_dropped_in_every_format)
{
#define TRACER " 0xffffffff8105d2e7 : __traceiter_kmalloc+0x37 [kernel]\n"
#define MODULE " 0xffffffffc0a4d2c9 [stap_7e3f_1234+0x52c9/0x11000]\n"
	static const struct {
		const ImportType *type;
		const char *text;
	} texts[] = {
		{ &import_hashkey, "<hashkey>\n" MODULE TRACER FRAME_A FRAME_B
				   "</hashkey>\n<hashval>3</hashval>\n" },
		{ &import_report, "This path seen 3 times:\n" TRACER FRAME_A FRAME_B },
		{ &import_count_text, MODULE TRACER FRAME_A FRAME_B "3\n" },
		{ &import_slab_text, "Exec: x Name: kmalloc-8  Count: 3\n" TRACER FRAME_A FRAME_B },
		{ &import_perf_script,
		  "x 1 [000] 1.5: 3 kmem:kmalloc: call_site=f ptr=0x1 bytes_req=5 bytes_alloc=8\n"
		  "\tffffffff8105d2e0 [unknown] ([unknown])\n"
		  "\tffffffff8105d2e7 arch_static_branch (inlined)\n"
		  "\tffffffff8105d2e7 __traceiter_kmalloc+0x37 ([kernel.kallsyms])\n"
		  "\tffffffff800d9d3b __kmalloc+0x0/0x9f ([kernel.kallsyms])\n"
		  "\tffffffff8002a1c4 __alloc_skb+0x6d/0x14a ([kernel.kallsyms])\n" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		Imported imported = import_text(texts[i].type, texts[i].text);
		g_autoptr(Session) session = imported.session;

		cr_expect(eq(u64, events_of(imported.profile, FRAME_A FRAME_B), 3), "%s",
			  texts[i].text);
		cr_expect(eq(u64, imported.unreadable, 0));
	}
}

Test(import, a_stack_of_tracers_only_is_kept)
{
	Imported imported = import_text(&import_count_text, TRACER MODULE "3\n");
	g_autoptr(Session) session = imported.session;

	cr_expect(eq(u64, events_of(imported.profile, TRACER MODULE), 3));
}

/* Ctrl-C ends a tool, whose output on a terminal then begins behind "^C". */
Test(import, what_a_terminal_echoed_is_skipped_in_every_format)
{
	static const struct {
		const ImportType *type;
		const char *text;
		uint64_t events;
	} texts[] = {
		{ &import_hashkey, "^C<hashkey>\n" FRAME_A "</hashkey>\n<hashval>3</hashval>\n",
		  3 },
		{ &import_report, "^C^CThis path seen 3 times:\n" FRAME_A, 3 },
		{ &import_count_text, "^C" FRAME_A FRAME_B "3\n", 3 },
		{ &import_slab_text, "^CNumber of kmalloc-8 slab allocations by process\nx:\t4\n",
		  4 },
		{ &import_slab_text, "^\\Exec: x Name: kmalloc-8  Count: 3\n" FRAME_A, 3 },
		{ &import_perf_script, "^Cx 1 [000] 1.5: kmem:kmalloc: bytes_req=5\n", 1 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		const char *text = texts[i].text;
		Imported imported = import_text(texts[i].type, text);
		g_autoptr(Session) session = imported.session;

		cr_expect(texts[i].type->recognises(text, strlen(text)), "%s", text);
		cr_expect(eq(u64, profile_totals(imported.profile).events, texts[i].events), "%s",
			  text);
		cr_expect(eq(u64, imported.unreadable, 0), "%s", text);
	}
}

/* SystemTap's print_backtrace() repeats an address that it has no name for. */
Test(import, a_frame_may_have_no_name)
{
	static const char stack[] = FRAME_A " 0x7ff070008d50 : 0x7ff070008d50\n";
	Imported imported =
		import_text(&import_count_text, FRAME_A " 0x7ff070008d50 : 0x7ff070008d50\n4\n");
	g_autoptr(Session) session = imported.session;
	FrameLine frame = frame_line_parse(
		(TextPart){ stack + strlen(FRAME_A), strlen(stack) - strlen(FRAME_A) });

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, events_of(imported.profile, stack), 4));
	cr_expect(eq(u64, frame.address, 0x7ff070008d50));
	cr_expect(eq(sz, frame.function.length, 0));
}

Test(import, perf_samples_that_allocate_are_counted)
{
	g_autofree char *text = test_data("import", "perf_script.txt");
	Imported imported = import_text(&import_perf_script, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;
	const ProfileCell *cell = cell_with_comm(profile, "a b [1] (c)");

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, profile_totals(profile).events, 14), "three samples are frees");
	cr_assert(cell != NULL);
	cr_expect(eq(u32, profile_task(profile, cell->task)->tgid, 31741));
	cr_expect(eq(u64, profile_origin(profile, cell->origin)->bytes_requested, 616));
	cr_expect(eq(u64, profile_origin(profile, cell->origin)->bytes_allocated, 624));
}

Test(import, perf_frames_are_printed_as_ours)
{
	Imported imported = import_text(
		&import_perf_script,
		"x 1 [000] 1.5: kmem:kmalloc: call_site=f ptr=0x1 bytes_req=5 bytes_alloc=8\n"
		"\tffffffff81636e0d __kmalloc+0x20d ([kernel.kallsyms])\n"
		"\tffffffffc0a4d2c9 f(int, char)+0x2 ([ext4])\n"
		"\tffffffffc0a4d2d0 g ([unknown])\n"
		"\tffffffffc0a4d2d0 [unknown] ([unknown])\n"
		"\tffffffffc0a4d2d9 h+0x1 (/lib/modules/6.1/kernel/fs/nfs/nfs.ko.xz)\n"
		"\t          ee137 main+0x7 (/usr/bin/x)\n"
		"\t746174732f373336 [unknown] ([unknown])\n\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64,
		     events_of(profile, " 0xffffffff81636e0d : __kmalloc+0x20d [kernel]\n"
					" 0xffffffffc0a4d2c9 : f(int, char)+0x2 [ext4]\n"
					" 0xffffffffc0a4d2d0 : g\n"
					" 0xffffffffc0a4d2d0\n"
					" 0xffffffffc0a4d2d9 : h+0x1 [nfs]\n"),
		     1));
	cr_expect(eq(u64, imported.unreadable, 0));
}

Test(import, perf_prints_pid_and_period_where_it_was_asked_to)
{
	g_autofree char *text = test_data("import", "perf_script_period.txt");
	Imported imported = import_text(&import_perf_script, text);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;
	const ProfileCell *cell = cell_with_comm(profile, "perf");

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, profile_totals(profile).events, 5));
	cr_assert(cell != NULL);
	cr_expect(eq(u32, profile_task(profile, cell->task)->tgid, 22635));
}

Test(import, perf_samples_without_a_stack_count_at_their_call_site)
{
	Imported imported = import_text(
		&import_perf_script, "x 1 [000] 1.5: kmem:kmalloc: call_site=f+0x1 bytes_req=5\n"
				     "x 1 [000] 1.6: kmem:kmalloc: call_site=g+0x2 bytes_req=5\n"
				     "x 1 [000] 1.7: kmem:kmalloc: call_site=f+0x1 bytes_req=5\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, events_of(profile, " f+0x1\n"), 2));
	cr_expect(eq(u64, events_of(profile, " g+0x2\n"), 1));
	cr_expect(eq(u64, imported.unreadable, 0));
}

Test(import, perf_lines_that_make_no_sense_are_unreadable)
{
	Imported imported = import_text(&import_perf_script,
					"x 1 [000] 1.5: kmem:kmalloc: bytes_req=5 bytes_alloc=8\n"
					"\tffffffff81636e0d f+0x20d ([kernel.kallsyms])\n"
					"\n"
					"\tffffffff81636e0d f+0x20d ([kernel.kallsyms])\n"
					"free text\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, profile_totals(profile).events, 1));
	cr_expect(eq(u64, imported.unreadable, 2));
}

#define SLAB_TITLE "Number of size-32 slab allocations by process\n"
#define SLAB_STACKS "\nBacktrace of processes when allocating\n"
#define SLAB_RULE "\n----------\n\n"

/* A kmalloc of 8 bytes at each of these times. */
static Imported import_times(const char *const *times)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (; *times; times++)
		g_string_append_printf(text,
				       "x 1 [000] %s: kmem:kmalloc: call_site=f+0x1 bytes_req=5 "
				       "bytes_alloc=8\n",
				       *times);
	return import_text(&import_perf_script, text->str);
}

static uint64_t run_number(const Imported *imported, enum KmtFieldId id)
{
	return run_info_number(imported->session->info, id, 0);
}

Test(import, perf_times_are_those_of_the_run)
{
	static const char *const times[] = { "7.500000", "7.250000", "8.000000001", "7.9", NULL };
	Imported imported = import_times(times);
	g_autoptr(Session) session = imported.session;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, run_number(&imported, KMT_FIELD_RUN_START_NS), 7500000000));
	cr_expect(eq(u64, run_number(&imported, KMT_FIELD_RUN_END_NS), 8000000001));
	cr_expect(eq(u64, session_length_ns(session), 500000001));
}

Test(import, perf_times_that_no_clock_has_are_unreadable)
{
	static const char *const times[] = { "1.5", "9223372036854775807.1", "9223372036.0", NULL };
	Imported imported = import_times(times);
	g_autoptr(Session) session = imported.session;

	cr_expect(eq(u64, imported.unreadable, 2));
	cr_expect(eq(u64, profile_totals(imported.profile).events, 1));
}

Test(import, perf_samples_stand_for_their_period)
{
	Imported imported =
		import_text(&import_perf_script,
			    "x 1 [000] 1.5: 10 kmem:kmalloc: call_site=f+0x1 bytes_req=5\n"
			    "x 1 [000] 1.6: 0 kmem:kmalloc: call_site=f+0x1 bytes_req=5\n");
	g_autoptr(Session) session = imported.session;

	cr_expect(eq(u64, profile_totals(imported.profile).events, 11));
}

/* A text whose allocations are paired with their frees. */
static Imported import_paired(const char *text)
{
	Imported imported = { .session = session_new(MEMORY_BYTES) };
	void *state;

	session_pair(imported.session, false);
	state = import_begin(&import_perf_script, imported.session);
	imported.profile = imported.session->profile;
	import_feed(state, text, strlen(text));
	imported.unreadable = import_finish(state);
	session_finish(imported.session);
	return imported;
}

#define ALLOC_AT(cpu, time, pointer)                                                               \
	"x 1 [" cpu "] " time ": kmem:kmalloc: call_site=f+0x1 ptr=" pointer                       \
	" bytes_req=5 bytes_alloc=8\n"
#define FREE_AT(cpu, time, pointer)                                                                \
	"y 2 [" cpu "] " time ": kmem:kfree: call_site=g+0x2 ptr=" pointer "\n"

Test(import, perf_frees_are_paired_with_their_allocations)
{
	g_autofree char *text = test_data("import", "perf_kmem.txt");
	Imported imported = import_paired(text);
	g_autoptr(Session) session = imported.session;
	PairingTotals totals = pairing_totals(session->pairing);

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, run_number(&imported, KMT_FIELD_HELD), 1));
	cr_expect(eq(u64, totals.allocated, 116));
	cr_expect(eq(u64, totals.held, 13), "of six open files, and an array of the allocator");
	cr_expect(eq(u64, totals.recycled, 0));
	cr_expect(eq(str, (char *)run_info_text(session->info, KMT_FIELD_FREES_SEEN_BY),
		     "kfree,kmem_cache_free"));
}

Test(import, perf_events_of_one_microsecond_keep_their_order)
{
	Imported imported = import_paired(ALLOC_AT("003", "1.5", "0xffff888000000100") FREE_AT(
		"001", "1.5", "0xffff888000000100") ALLOC_AT("000", "1.5", "0xffff888000000100"));
	g_autoptr(Session) session = imported.session;
	PairingTotals totals = pairing_totals(session->pairing);

	cr_expect(eq(u64, totals.freed, 1));
	cr_expect(eq(u64, totals.held, 1));
	cr_expect(eq(u64, totals.recycled, 0));
}

#define LARGE_AT(time, site, pointer)                                                              \
	"x 1 [000] " time ": kmem:kmalloc: call_site=" site "+0x5 ptr=" pointer                    \
	" bytes_req=20000 bytes_alloc=32768\n"

/* Since Linux 6.15 a large kvmalloc is traced twice, before as one event with the same call site.
 */
Test(import, perf_kvmallocs_without_stacks_count_once)
{
	Imported imported = import_paired(
		LARGE_AT("1.1", "__kvmalloc_node_noprof", "0xffff888000010000") LARGE_AT(
			"1.2", "__kvmalloc_node_noprof",
			"0xffff888000020000") LARGE_AT("1.3", "f", "0xffff888000010000")
			FREE_AT("000", "1.4", "0xffff888000010000") LARGE_AT("1.5", "f",
									     "0xffff888000020000")
				LARGE_AT("1.6", "__kvmalloc_node_noprof", "0xffff888000030000")
					FREE_AT("000", "1.7", "0xffff888000030000")
						LARGE_AT("1.8", "__kvmalloc_node_noprof",
							 "0xffff888000040000"));
	g_autoptr(Session) session = imported.session;
	PairingTotals totals = pairing_totals(session->pairing);

	cr_expect(eq(u64, events_of(imported.profile, " f+0x5\n"), 2));
	cr_expect(eq(u64, events_of(imported.profile, " __kvmalloc_node_noprof+0x5\n"), 2));
	cr_expect(eq(u64, totals.freed, 2));
	cr_expect(eq(u64, totals.held, 2));
	cr_expect(eq(u64, totals.recycled, 0));
}

Test(import, perf_kvmallocs_that_wait_for_their_outer_event_are_bounded)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 1; i <= 100; i++)
		g_string_append_printf(text,
				       "x 1 [000] 1.%06u: kmem:kmalloc: "
				       "call_site=__kvmalloc_node_noprof+0x1 ptr=0x%x "
				       "bytes_req=20000 bytes_alloc=32768\n",
				       i, i << 16);
	Imported imported = import_text(&import_perf_script, text->str);
	g_autoptr(Session) session = imported.session;

	cr_expect(eq(u64, profile_totals(imported.profile).events, 100));
}

static uint64_t failed_of(const Profile *profile)
{
	uint64_t failed = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++)
		failed += profile_cell(profile, i)->failed;
	return failed;
}

Test(import, perf_allocations_that_failed_count_apart)
{
	static const char *const failed[] = {
		"kmem:kmalloc: call_site=f+0x1 ptr=(nil) bytes_req=5 bytes_alloc=8",
		"kmem:kmem_cache_alloc: call_site=f+0x1 ptr=0x0 bytes_req=5 bytes_alloc=8 name=c",
		"kmem:mm_page_alloc: page=(nil) pfn=0x0 order=9 migratetype=1",
		"kmem:mm_page_alloc: page=(nil) pfn=0 order=9 migratetype=1",
		"kmem:mm_page_alloc: page=0xffffffffffffffff pfn=-1 order=9 migratetype=1",
		"kmem:mm_page_alloc: page=(nil) pfn=18446744073709551615 order=9 migratetype=1",
	};
	static const char *const unknown[] = {
		"kmem:kmalloc: call_site=f+0x1 ptr=(____ptrval____) bytes_req=5 bytes_alloc=8",
		"kmem:kmalloc: call_site=f+0x1 bytes_req=5 bytes_alloc=8",
		"kmem:mm_page_alloc: order=1 migratetype=1",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(failed) + G_N_ELEMENTS(unknown); i++) {
		bool fails = i < G_N_ELEMENTS(failed);
		const char *event = fails ? failed[i] : unknown[i - G_N_ELEMENTS(failed)];
		g_autofree char *text = g_strdup_printf("x 1 [000] 1.5: %s\n", event);
		Imported imported = import_text(&import_perf_script, text);
		g_autoptr(Session) session = imported.session;

		cr_expect(eq(u64, failed_of(imported.profile), fails), "%s", event);
	}
}

Test(import, perf_records_of_lost_events_are_losses)
{
	Imported imported = import_text(
		&import_perf_script,
		ALLOC_AT("000", "1.5",
			 "0x10") "x 1 [000] 1.6: PERF_RECORD_LOST lost "
				 "900\n" ALLOC_AT("000", "1.7",
						  "0x20") "x 1 [000] 1.8: "
							  "PERF_RECORD_LOST_SAMPLES lost 97\n"
							  "x 1 [000] 1.9: PERF_RECORD_COMM "
							  "exec: x:1/1\n"
							  "x 1 [000] 1.9: "
							  "PERF_RECORD_FORK(2:2):(1:1)\n");
	g_autoptr(Session) session = imported.session;
	Losses losses = losses_of(session);

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, profile_totals(imported.profile).events, 2));
	cr_expect(eq(u64, losses.transport.low, 997));
	cr_expect(eq(u64, losses.transport.high, 997));
	cr_expect_not(losses.source_is_silent);
}

Test(import, perf_addresses_behind_user_frames_are_not_the_kernels)
{
	Imported imported = import_text(
		&import_perf_script,
		"x 1 [000] 1.5: kmem:kmalloc: call_site=f ptr=0x1 bytes_req=5 bytes_alloc=8\n"
		"\tffffffff81636e0d __kmalloc+0x20d ([kernel.kallsyms])\n"
		"\t    7f0000001234 main+0x7 (/usr/bin/x)\n"
		"\tc0de00000000abcd [unknown] ([unknown])\n\n");
	g_autoptr(Session) session = imported.session;

	cr_expect(
		eq(u64,
		   events_of(imported.profile, " 0xffffffff81636e0d : __kmalloc+0x20d [kernel]\n"),
		   1));
}

Test(import, perf_texts_have_the_page_size_of_their_kernel)
{
	static const struct {
		const char *header;
		uint64_t given, bytes;
		bool is_assumed;
	} cases[] = {
		{ "", 0, 4096, true },
		{ "", 16384, 16384, false },
		{ "# arch : x86_64\n", 0, 4096, false },
		{ "# arch : s390x\n# os release : 6.12.0\n", 0, 4096, false },
		{ "# arch : ppc64le\n", 0, 65536, true },
		{ "# arch : ppc64le\n", 4096, 4096, false },
		{ "# os release : 5.14.0-503.el9.aarch64+64k\n# arch : aarch64\n", 0, 65536,
		  false },
		{ "# os release : 5.14.0-503.el9.aarch64\n# arch : aarch64\n", 0, 4096, true },
		{ "# os release : 4.18.0-553.el8_10.aarch64\n# arch : aarch64\n", 0, 65536, true },
		{ "# arch : something\n", 0, 4096, true },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
			g_strconcat(cases[i].header,
				    "x 1 [000] 1.5: kmem:mm_page_alloc: pfn=0x10 order=1\n", NULL);
		g_autoptr(Session) session = session_new(MEMORY_BYTES);
		void *state = import_begin(&import_perf_script, session);

		if (cases[i].given)
			session_set_number(session, KMT_FIELD_PAGE_BYTES, cases[i].given);
		import_feed(state, text, strlen(text));
		import_finish(state);
		cr_expect(eq(u64, profile_origin(session->profile, 1)->bytes_allocated,
			     2 * cases[i].bytes),
			  "%s", text);
		cr_expect_eq(session->page_bytes_assumed, cases[i].is_assumed, "%s", text);
	}
}

Test(import, small_kmallocs_do_not_depend_on_the_page_size)
{
	Imported imported = import_text(&import_perf_script, ALLOC_AT("000", "1.5", "0x10"));
	g_autoptr(Session) session = imported.session;

	cr_expect_not(session->page_bytes_assumed);
	cr_expect(eq(u64, run_number(&imported, KMT_FIELD_PAGE_BYTES), 0));
}

/* A line that perf script printed: the task had ended. */
Test(import, perf_tasks_may_be_unknown)
{
	Imported imported = import_paired(
		ALLOC_AT("001", "1.5", "0xffff888000000100") "             :-1    -1 [000] 1.6:    "
							     "      kmem:kfree: call_site=g+0x2 "
							     "ptr=0xffff888000000100\n");
	g_autoptr(Session) session = imported.session;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, pairing_totals(session->pairing).freed, 1));
}

Test(import, perf_events_are_paired_while_the_text_is_read)
{
	enum { ROUNDS = 100000 };
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < ROUNDS; i++)
		g_string_append_printf(text,
				       "x 1 [001] %u.%06u: kmem:kmalloc: ptr=0xffff8880%08x\n"
				       "y 2 [000] %u.%06u: kmem:kfree: ptr=0xffff8880%08x\n",
				       i / 1000, i % 1000 * 1000, i * 64, i / 1000,
				       i % 1000 * 1000 + 1, i * 64);
	Imported imported = import_paired(text->str);
	g_autoptr(Session) session = imported.session;

	cr_expect(eq(u64, pairing_totals(session->pairing).freed, ROUNDS));
	cr_expect(eq(u64, pairing_totals(session->pairing).out_of_order, 0));
	cr_expect(lt(sz, pairing_memory(session->pairing), ROUNDS * 16));
}

Test(import, perf_pages_are_paired_by_their_number)
{
	Imported imported =
		import_paired("x 1 [000] 1.5: kmem:mm_page_alloc: page=0x1 pfn=0x1f0b8 order=1\n"
			      "x 1 [000] 1.6: kmem:mm_page_alloc: page=0x2 pfn=4711 order=0\n"
			      "x 1 [000] 1.7: kmem:mm_page_alloc: page=(nil) pfn=0x0 order=9\n"
			      "x 1 [000] 1.8: kmem:mm_page_free: page=0x1 pfn=0x1f0b8 order=1\n");
	g_autoptr(Session) session = imported.session;
	PairingTotals totals = pairing_totals(session->pairing);

	cr_expect(eq(u64, totals.allocated, 2), "the third one failed");
	cr_expect(eq(u64, totals.held, 1));
	cr_expect(eq(u64, totals.unknown, 0));
}

Test(import, perf_texts_that_cannot_be_paired_say_why)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ ALLOC_AT("000", "1.5", "0x10") ALLOC_AT("000", "1.6", "0x20"),
		  "it does not have all frees: record kmem:kfree, too" },
		{ ALLOC_AT("000", "1.5", "0x10") FREE_AT(
			  "000", "1.6", "0x10") "x 1 [000] 1.7: kmem:kmem_cache_alloc: ptr=0x20\n",
		  "it does not have all frees: record kmem:kmem_cache_free, too" },
		{ ALLOC_AT("000", "1.5", "0x10") "x 1 [000] 1.7: 9 kmem:kfree: ptr=0x20\n",
		  "its samples stand for several events: record all, with perf record -c 1" },
		{ ALLOC_AT("000", "9.5", "0x10") FREE_AT("000", "1.6", "0x10"),
		  "its events are not in the order of their times, as perf script prints those of "
		  "one file" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		Imported imported = import_paired(cases[i].text);
		g_autoptr(Session) session = imported.session;

		cr_expect(eq(str, session->cannot_pair, (char *)cases[i].why));
		cr_expect(eq(u64, run_number(&imported, KMT_FIELD_HELD), 0));
	}
}

/* Returns the label of the cache of the only allocation in a text. */
static char *cache_label_of(const char *fields)
{
	g_autofree char *text = g_strdup_printf("x 1 [000] 1.5: %s\n", fields);
	Imported imported = import_text(&import_perf_script, text);
	g_autoptr(Session) session = imported.session;
	g_autoptr(CacheNames) names =
		cache_names_new(session->profile, session->info, session->text);

	for (OriginId id = ORIGIN_ID_OVERFLOW + 1; id < profile_origin_count(session->profile);
	     id++)
		return g_strdup(cache_names_of(names, profile_origin(session->profile, id)).label);
	return NULL;
}

Test(import, perf_samples_have_their_cache_or_the_class_of_their_size)
{
	static const struct {
		const char *fields, *label;
	} cases[] = {
		{ "kmem:kmem_cache_alloc: call_site=f+0x1 name=filp bytes_req=184 bytes_alloc=192",
		  "filp" },
		{ "kmem:kmem_cache_alloc: call_site=f+0x1 bytes_req=184 bytes_alloc=192",
		  "(unknown cache)" },
		{ "kmem:kmalloc: call_site=f+0x1 bytes_req=184 bytes_alloc=192 "
		  "gfp_flags=GFP_KERNEL",
		  "kmalloc-192 (by size)" },
		{ "kmem:kmalloc: call_site=f+0x1 bytes_req=184 bytes_alloc=192 "
		  "gfp_flags=GFP_KERNEL_ACCOUNT node=-1 accounted=true",
		  "kmalloc-cg-192 (by size)" },
		{ "kmem:kmalloc_node: call_site=f+0x1 bytes_req=900 bytes_alloc=1024 "
		  "gfp_flags=GFP_NOFS|__GFP_RECLAIMABLE|__GFP_ZERO",
		  "kmalloc-rcl-1k (by size)" },
		{ "kmem:kmalloc: call_site=f+0x1 bytes_req=9000 bytes_alloc=12288",
		  "kmalloc-large (by size)" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *label = cache_label_of(cases[i].fields);

		cr_expect(eq(str, label, (char *)cases[i].label));
	}
}

Test(import, slab_stacks_are_not_counted_twice)
{
	Imported imported = import_text(&import_slab_text, SLAB_TITLE
					"crond:\t5\nps:\t1\n" SLAB_STACKS
					"Exec: crond Name: size-32  Count: 2\n" FRAME_A SLAB_RULE
					"Exec: crond Name: size-32  Count: 3\n" FRAME_B SLAB_RULE);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, profile_totals(profile).events, 6));
	cr_expect(eq(u64, events_of(profile, FRAME_A), 2));
	cr_expect(eq(u64, events_of(profile, FRAME_B), 3));
	cr_expect(eq(u64, events_of(profile, ""), 1));
	cr_expect(eq(u64, cell_with_comm(profile, "ps")->events, 1));
	cr_expect(eq(u64, made_session_events_of_cache(profile, "size-32"), 6));
}

Test(import, slab_numbers_of_two_runs_and_caches_add_up)
{
	Imported imported =
		import_text(&import_slab_text, SLAB_TITLE
			    "crond:\t2\n" SLAB_STACKS
			    "Exec: crond Name: size-32  Count: 2\n" FRAME_A SLAB_RULE SLAB_TITLE
			    "crond:  4\nNumber of dentry slab allocations by process\ncrond:\t8\n");
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, profile_totals(profile).events, 14));
	cr_expect(eq(u64, made_session_events_of_cache(profile, "size-32"), 6));
	cr_expect(eq(u64, made_session_events_of_cache(profile, "dentry"), 8));
}

Test(import, slab_stacks_alone_count)
{
	Imported imported =
		import_text(&import_slab_text, "Exec: a: Name: b Name: x Count: 9 Name: size-32 "
					       " Count: 4\n" FRAME_A "\n" FRAME_B);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 0));
	cr_expect(eq(u64, events_of(profile, FRAME_A FRAME_B), 4));
	cr_expect(eq(u64, cell_with_comm(profile, "a: Name: b Name:")->events, 4));
	cr_expect(eq(u64, made_session_events_of_cache(profile, "size-32"), 4));
}

Test(import, slab_lines_that_say_nothing_are_unreadable)
{
	Imported imported = import_text(&import_slab_text,
					"# stap slab.stp size-32\n" SLAB_TITLE
					"crond:\t-2\n:\t1\ncrond\n" SLAB_STACKS FRAME_A
					"Exec: crond Name: size-32  Count: x\n"
					"Exec: crond Name: size-32  Count: 1\nprose\n" FRAME_B);
	g_autoptr(Session) profile_session = imported.session;
	const Profile *profile = imported.profile;

	cr_expect(eq(u64, imported.unreadable, 6));
	cr_expect(eq(u64, profile_totals(profile).events, 1));
	cr_expect(eq(u64, events_of(profile, FRAME_B), 1));
}

/* The same input in pieces of any size is the same input. */
static struct sample_file {
	char name[32];
	char format[32];
} samples[] = {
	{ "hashkey.txt", "the Perl tool's stream" },
	{ "counted.txt", "SystemTap's stack text" },
	{ "events.txt", "SystemTap's stack text" },
	{ "perf_script.txt", "the output of perf script" },
	{ "perf_script_period.txt", "the output of perf script" },
	{ "report.txt", "a report of stacks" },
	{ "slab.txt", "the output of slab.stp" },
};

ParameterizedTestParameters(import, samples_are_recognised_and_may_be_chunked)
{
	return cr_make_param_array(struct sample_file, samples, G_N_ELEMENTS(samples));
}

ParameterizedTest(struct sample_file *row, import, samples_are_recognised_and_may_be_chunked)
{
	g_autofree char *text = test_data("import", row->name);
	const ImportType *type = import_type_recognise(text, strlen(text));

	cr_assert(type != NULL, "%s", row->name);
	cr_expect(eq(str, (char *)type->name, row->format), "%s", row->name);
	Imported whole = import_text(type, text);
	g_autoptr(Session) expected_session = whole.session;
	const Profile *expected = whole.profile;

	for (size_t chunk = 1; chunk < 200; chunk += 7) {
		Imported pieces = import_chunked(type, text, strlen(text), chunk);
		g_autoptr(Session) profile_session = pieces.session;
		const Profile *profile = pieces.profile;

		cr_expect(eq(u64, pieces.unreadable, whole.unreadable), "%s", row->name);
		cr_expect(eq(u64, profile_totals(profile).events, profile_totals(expected).events),
			  "%s", row->name);
		cr_expect(eq(u32, stacks_of(profile), stacks_of(expected)), "%s", row->name);
		cr_expect(eq(u32, profile_cell_count(profile), profile_cell_count(expected)), "%s",
			  row->name);
	}
}

static struct foreign {
	char name[32];
	char text[256];
} foreign_texts[] = {
	{ "nothing", "" },
	{ "prose", "This path seen 12 times, says the manual.\n12\n" },
	{ "a lone frame", FRAME_A },
	{ "numbers", "1\n2\n3\n0x1\n0x2\n0x3\n" },
	{ "a program", "int main(void)\n{\n\treturn a+0x10;\n}\n" },
	{ "a tag in prose", "The line <hashkey> begins a record.\n<hashkey>\n" },
	{ "a table", "ALLOCATIONS  SHARE%  STACK\n 3  100  0xffffffff800d9d3b\n" FRAME_A },
	{ "a table of hits",
	  " HITS  SHARE%  STACK\n   3    100  0xffffffff800d9d3b\n" FRAME_A FRAME_A },
	{ "a table without shares", "HELD  OLDEST  STACK\n   3       -  " FRAME_A FRAME_A },
	{ "a comparison", "  OLD    NEW  CHANGE\n 0xffffffff800d9d3b\n" FRAME_A FRAME_A },
	{ "another perf event", "x 1 [000] 1.5:  250000 cpu-clock:\n\tffff f+0x1 (/bin/x)\n\n" },
};

ParameterizedTestParameters(import, foreign_text_is_not_recognised)
{
	return cr_make_param_array(struct foreign, foreign_texts, G_N_ELEMENTS(foreign_texts));
}

ParameterizedTest(struct foreign *row, import, foreign_text_is_not_recognised)
{
	const ImportType *type = import_type_recognise(row->text, strlen(row->text));

	cr_expect(type == NULL, "%s was taken for %s", row->name, type ? type->name : "");
}

Test(import, random_bytes_are_not_recognised)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	char bytes[IMPORT_SNIFF_BYTES];

	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (char)g_rand_int(random);
		cr_expect(import_type_recognise(bytes, sizeof(bytes)) == NULL);
	}
}

/* Texts with stacks would else be taken for allocations. */
Test(import, texts_of_other_things_are_known_by_name)
{
	static const char *const foreign[] = {
		"unreferenced object 0xffff888110c46240 (size 96):\n    a+0x1/0x2\n    b+0x1/0x2\n",
		"[10:00:01] Top 10 stacks with outstanding allocations:\n"
		"\t640 bytes in 10 allocations from stack\n\t\ta+0x1 [kernel]\n\t\tb+0x1 "
		"[kernel]\n",
		"slabinfo - version: 2.1\n# name            <active_objs>\n",
		" Active / Total Objects (% used)    : 1 / 2 (50.0%)\n",
		"0xffffc90000000000-0xffffc90000005000   20480 f+0x1/0x2 pages=4 vmalloc N0=4\n",
		"Attaching 1 probe...\n\n@[\n    a+5\n    b+7\n]: 12\n",
		"@bytes[a]: 12\n",
		"# tracer: nop\n#\n",
		"cpus=2\n            podd-13676 [001]  1112.5: kmalloc: ptr=0x1\n",
		"[   12.5] Call Trace:\n a+0x1/0x2\n b+0x1/0x2\n",
		"                        Caller  Avg Wait    Count   Max Wait\n a+0x1\n b+0x1\n",
		"COMM           PID    NODE ZONE         ORDER MODE      LAT(ms)\n a+0x1\n b+0x1\n",
		"# Overhead  Command  Shared Object\n",
		"handle: 7\nnr_base_pages: 12\n",
		"x 1 [000] 1.5: sched:sched_switch: a ==> b\n",
	};
	static const char *const known[] = {
		"hashkey.txt", "counted.txt", "events.txt", "report.txt", "slab.txt",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(foreign); i++)
		cr_expect(ne(ptr, (void *)foreign_text_find(foreign[i], strlen(foreign[i])), NULL),
			  "%s", foreign[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		g_autofree char *text = test_data("import", known[i]);

		cr_expect(eq(ptr, (void *)foreign_text_find(text, strlen(text)), NULL), "%s",
			  known[i]);
	}
}
