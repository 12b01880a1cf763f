/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The importers of the kernel's own records of what is held, and the places where they are. */
#include "import/import_types.h"
#include "import/kernel_record.h"
#include "session/losses.h"
#include "leaks.h"
#include "names/cache_names.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(import_held);

enum { MEMORY_BYTES = 64 << 20, SMALL_MEMORY_BYTES = 1 << 20 };

#define SECOND_NS 1000000000ULL

/* Sums over the cells of a session. */
typedef struct {
	uint64_t objects;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
} Sums;

static bool has_comm(const Profile *profile, const ProfileCell *cell, const char *comm)
{
	return !comm || !strcmp(profile_task(profile, cell->task)->comm, comm);
}

static bool has_stack(const Profile *profile, StackId id, const char *stack)
{
	uint32_t length;
	const char *text;

	if (id == STACK_ID_NONE)
		return false;
	text = stack_table_bytes(profile_stacks(profile), id, &length);
	return !stack || (length == strlen(stack) && !memcmp(text, stack, length));
}

/* Sums of a stack and a process; NULL: all. */
static Sums sums_of(const Session *session, const char *stack, const char *comm)
{
	const Profile *profile = session->profile;
	Sums sums = { 0 };

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);

		if (!has_stack(profile, origin->stack, stack) || !has_comm(profile, cell, comm))
			continue;
		sums.objects += cell->events;
		sums.bytes_requested += cell->events * origin->bytes_requested;
		sums.bytes_allocated += cell->events * origin->bytes_allocated;
	}
	return sums;
}

static void feed(Session *session, const ImportType *type, const char *text, size_t chunk)
{
	void *state = import_begin(type, session);
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at += chunk)
		import_feed(state, text + at, MIN(chunk, length - at));
	session->unreadable_lines += import_finish(state);
}

static Session *import_text(const ImportType *type, const char *text)
{
	Session *session = session_new(MEMORY_BYTES);

	feed(session, type, text, strlen(text) + 1);
	session_finish(session);
	return session;
}

#define ALLOCINFO                                                                                  \
	"allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n"                             \
	"           0        0 init/main.c:1311 func:do_initcalls \n"                              \
	"        1000        3 mm/util.c:64 func:kstrdup \n"                                       \
	"         384        2 fs/binfmt_misc.c:771 [binfmt_misc] func:bm_register \n"             \
	"        4096        1 mm/memory.c:9 func:wp_page_copy accurate:no \n"

Test(import_held, allocinfo_rows_are_places_whose_bytes_are_exact)
{
	g_autoptr(Session) session = import_text(&import_allocinfo, ALLOCINFO);
	Sums strings = sums_of(session, " kstrdup at mm/util.c:64 [kernel]\n", NULL);
	Sums module =
		sums_of(session, " bm_register at fs/binfmt_misc.c:771 [binfmt_misc]\n", NULL);

	cr_expect(eq(u64, session->unreadable_lines, 0));
	cr_expect(session_is_held(session));
	cr_expect(eq(u64, strings.objects, 3));
	cr_expect(eq(u64, strings.bytes_allocated, 1000));
	cr_expect(eq(u64, strings.bytes_requested, 1000));
	cr_expect(eq(u64, module.bytes_allocated, 384));
	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, 6));
	cr_expect(eq(u64, session->held_inaccurate, 1));
}

static struct bad_text {
	char what[40];
	char text[160];
	uint64_t unreadable;
	uint64_t objects;
} bad_allocinfo[] = {
	{ "junk", "what is this\n", 1, 0 },
	{ "negative bytes", "-64 1 a.c:1 func:f\n", 1, 0 },
	{ "bytes without objects", "64 0 a.c:1 func:f\n", 1, 0 },
	{ "objects below zero", "0 18446744073709551615 a.c:1 func:f\n", 1, 0 },
	{ "a number above 64 bits", "1 99999999999999999999 a.c:1 func:f\n", 1, 0 },
	{ "no function", "64 1 a.c:1\n", 1, 0 },
	{ "an empty function", "64 1 a.c:1 func:\n", 1, 0 },
	{ "objects without bytes", "0 7 a.c:1 func:f\n", 0, 7 },
	{ "a later version's words", "64 1 a.c:1 func:f colour:red\n", 0, 1 },
};

ParameterizedTestParameters(import_held, hostile_allocinfo)
{
	return cr_make_param_array(struct bad_text, bad_allocinfo, G_N_ELEMENTS(bad_allocinfo));
}

ParameterizedTest(struct bad_text *row, import_held, hostile_allocinfo)
{
	g_autofree char *text = g_strconcat("allocinfo - version: 1.0\n", row->text, NULL);
	g_autoptr(Session) session = import_text(&import_allocinfo, text);

	cr_expect(eq(u64, session->unreadable_lines, row->unreadable), "%s", row->what);
	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, row->objects), "%s", row->what);
}

#define OPEN_STACK                                                                                 \
	" alloc_empty_file+0x4e/0x100\n path_openat+0x40/0x12e0\n ext4_open+0x1/0x2 [ext4]\n"
#define TRACES                                                                                     \
	"      7 alloc_empty_file+0x4e/0x100 age=0/406/733 pid=1-186 cpus=0-1\n"                   \
	"        alloc_empty_file+0x4e/0x100\n        path_openat+0x40/0x12e0\n"                   \
	"        ext4_open+0x1/0x2 [ext4]\n\n"                                                     \
	"      2 helper+0x1/0x2 [ext4] waste=20/10 age=5 pid=42 nodes=0\n"                         \
	"        helper+0x1/0x2 [ext4]\n\n"

Test(import_held, alloc_traces_have_sizes_if_their_cache_is_known)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	session->held_record = (HeldRecord){ .cache = { .name = "kmalloc-1k", .name_bytes = 10 } };
	feed(session, &import_alloc_traces, TRACES, 4096);
	session_finish(session);
	Sums wasteful = sums_of(session, " helper+0x1/0x2 [ext4]\n", NULL);

	cr_expect(eq(u64, session->unreadable_lines, 0));
	cr_expect(eq(u64, sums_of(session, OPEN_STACK, NULL).objects, 7));
	cr_expect(eq(u64, sums_of(session, OPEN_STACK, NULL).bytes_allocated, 7 * 1024));
	cr_expect(eq(u64, wasteful.bytes_allocated, 2048));
	cr_expect(eq(u64, wasteful.bytes_requested, 2048 - 20));
	cr_expect(eq(u64, session->held_unsized, 0));
	cr_expect(
		eq(u32, profile_cache_count(session->profile), 3)); /* with the two special ones */
}

Test(import_held, alloc_traces_of_an_unknown_cache_have_no_sizes)
{
	g_autoptr(Session) session = import_text(&import_alloc_traces, TRACES);

	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, 9));
	cr_expect(eq(u64, sums_of(session, NULL, NULL).bytes_allocated, 0));
	cr_expect(eq(u64, session->held_unsized, 9));
}

Test(import_held, a_task_is_known_if_one_thread_allocated)
{
	g_autoptr(Session) session = import_text(&import_alloc_traces, TRACES);
	const Profile *profile = session->profile;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		if (cell->events == 2)
			cr_expect(eq(u32, profile_task(profile, cell->task)->tgid, 42));
		else if (cell->events == 7)
			cr_expect(eq(u32, cell->task, TASK_ID_UNKNOWN));
	}
}

/* As from kernels without stacks: only the caller is known. */
Test(import_held, the_caller_stands_for_a_missing_stack)
{
	g_autoptr(Session) session =
		import_text(&import_alloc_traces, "  12 foo+0x1/0x2 [xfs] age=3/4/5 pid=1-9\n"
						  "   3 <not-available> age=3 pid=1\n");

	cr_expect(eq(u64, session->unreadable_lines, 0));
	cr_expect(eq(u64, sums_of(session, " foo+0x1/0x2 [xfs]\n", NULL).objects, 12));
	cr_expect(eq(u64, sums_of(session, "", NULL).objects, 3));
}

static struct bad_text bad_traces[] = {
	{ "no objects at all", "No data\n", 0, 0 },
	{ "junk", "what is this\n", 1, 0 },
	{ "a frame without its head", "        foo+0x1/0x2\n", 1, 0 },
	{ "no age", "  3 foo+0x1/0x2 pid=1\n", 1, 0 },
	{ "half an age", "  3 foo+0x1/0x2 age=1/2 pid=1\n", 1, 0 },
	{ "a negative age", "  3 foo+0x1/0x2 age=-1/2/3 pid=1\n", 0, 3 },
	{ "another word", "  3 foo+0x1/0x2 age=1 colour=red\n", 1, 0 },
	{ "a pid above any", "  3 foo+0x1/0x2 age=1 pid=99999999999\n", 0, 3 },
	{ "a count above 64 bits", "99999999999999999999 foo+0x1/0x2 age=1\n", 1, 0 },
	{ "junk in a stack", "  3 foo+0x1/0x2 age=1\n     a b c\n     foo+0x1/0x2\n", 1, 3 },
	{ "no end", "  3 foo+0x1/0x2 age=1\n        foo+0x1", 0, 3 },
};

ParameterizedTestParameters(import_held, hostile_alloc_traces)
{
	return cr_make_param_array(struct bad_text, bad_traces, G_N_ELEMENTS(bad_traces));
}

ParameterizedTest(struct bad_text *row, import_held, hostile_alloc_traces)
{
	g_autoptr(Session) session = import_text(&import_alloc_traces, row->text);

	cr_expect(eq(u64, session->unreadable_lines, row->unreadable), "%s", row->what);
	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, row->objects), "%s", row->what);
}

#define PAGE_STACK " post_alloc_hook+0x12c/0x140\n do_anonymous_page+0x1/0x2\n"
#define PAGE_BODY "PFN 0x1f00 type Movable Block 7 type Movable Flags 0x2(x|zone=0)\n" PAGE_STACK

/* What kernels print after the gfp mask, from the newest to 5.10. */
static struct page_head {
	char rest[96];
	char comm[20];
	uint32_t tgid;
} page_heads[] = {
	{ ", pid 56, tgid 55 (dd), ts 11489684880 ns", "dd", 55 },
	{ ", pid 56, tgid 55 (a), ts b (c), ts 12 ns", "a), ts b (c", 55 },
	{ ", pid 56, tgid 55 (dd), ts 1 ns, free_ts 12 ns", "dd", 55 },
	{ ", pid 56, tgid 55 (dd), ts  ns", "dd", 55 },
	{ ", pid 56, ts 11489684880 ns, free_ts 0 ns", "", 56 },
	{ "", "", 0 },
};

ParameterizedTestParameters(import_held, page_owner_of_any_kernel)
{
	return cr_make_param_array(struct page_head, page_heads, G_N_ELEMENTS(page_heads));
}

ParameterizedTest(struct page_head *row, import_held, page_owner_of_any_kernel)
{
	g_autofree char *text =
		g_strdup_printf("Page allocated via order 2, mask 0xcc0(GFP_KERNEL)%s\n" PAGE_BODY
				"Page has been migrated, last migrate reason: compaction\n"
				"Charged (via objcg) to memcg system.slice\n\n",
				row->rest);
	g_autoptr(Session) session = import_text(&import_page_owner, text);
	const ProfileCell *cell =
		profile_cell(session->profile, profile_cell_count(session->profile) - 1);
	const ProfileTask *task = profile_task(session->profile, cell->task);

	cr_expect(eq(u64, session->unreadable_lines, 0), "%s", row->rest);
	cr_expect(eq(u64, sums_of(session, PAGE_STACK, NULL).objects, 1), "%s", row->rest);
	cr_expect(eq(u64, sums_of(session, PAGE_STACK, NULL).bytes_allocated, 4 * 4096), "%s",
		  row->rest);
	cr_expect(eq(str, (char *)task->comm, row->comm), "%s", row->rest);
	cr_expect(eq(u32, task->tgid, row->tgid), "%s", row->rest);
}

Test(import_held, page_owner_sort_counts_equal_pages)
{
	g_autoptr(Session) session = import_text(
		&import_page_owner,
		"3 times, 6 pages, allocated by SLAB :\n"
		"Page allocated via order 1, mask 0x0(), pid 1, tgid 1 (init), ts  ns\n" PAGE_STACK
		"\n\n"
		"5 times, 5 pages:\n" PAGE_STACK "\n"
		"2 times, 2 pages, PID 7, TGID 8, task_comm_name: sh\n"
		"20 times, 20 pages, task_comm_name: a: b, allocated by CMA :\n" PAGE_STACK "\n"
		"30 times, 30 pages, task_comm_name: dd:\n" PAGE_STACK "\n");
	Sums init = sums_of(session, PAGE_STACK, "init");

	cr_expect(eq(u64, session->unreadable_lines, 0));
	cr_expect(eq(u64, init.objects, 3));
	cr_expect(eq(u64, init.bytes_allocated, 6 * 4096));
	cr_expect(eq(u64, sums_of(session, PAGE_STACK, NULL).objects, 58));
	cr_expect(eq(u64, sums_of(session, NULL, "a: b").objects, 20));
	cr_expect(eq(u64, sums_of(session, NULL, "dd").objects, 30));
	cr_expect(eq(u64, sums_of(session, NULL, "sh").objects, 2));
	cr_expect(eq(u64, sums_of(session, "", NULL).objects, 2));
}

static struct bad_text bad_pages[] = {
	{ "an order above any", "Page allocated via order 99, mask 0x0()\n\n", 1, 0 },
	{ "no mask", "Page allocated via order 0\n\n", 1, 0 },
	{ "an open mask", "Page allocated via order 0, mask 0x0(GFP\n\n", 1, 0 },
	{ "a stack alone", PAGE_STACK "\n", 2, 0 },
	{ "frames under a bad head", "Page allocated via order x\n" PAGE_STACK "\n", 3, 0 },
	{ "no end", "Page allocated via order 0, mask 0x0()\n a+0x1/0x2", 0, 1 },
	{ "no empty line",
	  "Page allocated via order 0, mask 0x0()\n a+0x1/0x2\n"
	  "Page allocated via order 0, mask 0x0()\n b+0x1/0x2\n",
	  0, 2 },
	{ "nothing, many times", "18446744073709551615 times, 0 pages:\n a+0x1/0x2\n\n", 0,
	  UINT64_MAX },
};

ParameterizedTestParameters(import_held, hostile_page_owner)
{
	return cr_make_param_array(struct bad_text, bad_pages, G_N_ELEMENTS(bad_pages));
}

ParameterizedTest(struct bad_text *row, import_held, hostile_page_owner)
{
	g_autoptr(Session) session = import_text(&import_page_owner, row->text);

	cr_expect(eq(u64, session->unreadable_lines, row->unreadable), "%s", row->what);
	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, row->objects), "%s", row->what);
}

/* Ages arrive with the events. */
typedef struct {
	uint64_t events;
	uint64_t age_min_ns;
	uint64_t age_max_ns;
} Ages;

static bool note_ages(const Events *events, void *user_data)
{
	Ages *ages = user_data;

	cr_expect(events->text->held);
	*ages = (Ages){ ages->events + 1, events->text->age_min_ns, events->text->age_max_ns };
	return true;
}

Test(import_held, jiffies_become_ages)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	Ages ages = { 0 };

	session->held_record.tick_ns = SECOND_NS / 250;
	session_add_sink(session, note_ages, &ages);
	feed(session, &import_alloc_traces, "  3 foo+0x1/0x2 age=250/300/750 pid=1\n", 4096);
	session_finish(session);
	cr_expect(eq(u64, ages.events, 1));
	cr_expect(eq(u64, ages.age_min_ns, SECOND_NS));
	cr_expect(eq(u64, ages.age_max_ns, 3 * SECOND_NS));
}

Test(import_held, times_become_ages_before_the_newest)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	Ages ages = { 0 };

	session_add_sink(session, note_ages, &ages);
	feed(session, &import_page_owner,
	     "Page allocated via order 0, mask 0x0(), pid 1, tgid 1 (b), ts 9000000000 ns\n"
	     " b+0x1/0x2\n\n"
	     "Page allocated via order 0, mask 0x0(), pid 1, tgid 1 (a), ts 2000000000 ns\n"
	     " a+0x1/0x2\n\n"
	     "Page allocated via order 0, mask 0x0(), pid 1, tgid 1 (a), ts 5000000000 ns\n"
	     " a+0x1/0x2\n\n",
	     4096);
	session_finish(session);
	cr_expect(eq(u64, ages.events, 2));
	cr_expect(eq(u64, ages.age_min_ns, 4 * SECOND_NS));
	cr_expect(eq(u64, ages.age_max_ns, 7 * SECOND_NS));
}

/* Each place of a stack has its own ages. */
Test(import_held, ages_are_found_by_place)
{
	g_autoptr(Session) session = import_text(
		&import_page_owner,
		"Page allocated via order 0, mask 0x0(), pid 1, tgid 1 (b), ts 9000000000 ns\n"
		" a+0x1/0x2\n\n"
		"Page allocated via order 0, mask 0x0(), pid 2, tgid 2 (a), ts 2000000000 ns\n"
		" a+0x1/0x2\n\n"
		"Page allocated via order 0, mask 0x0()\n c+0x1/0x2\n\n");
	const EventTask a = { .tgid = 2, .comm = "a" }, b = { .tgid = 1, .comm = "b" };
	HeldObjects place = { .text = " a+0x1/0x2\n", .length = 11, .source = KMT_SOURCE_PAGE };
	HeldAges ages;

	place.task = &a;
	cr_assert(held_readings_ages(session->held_places, &place, &ages));
	cr_expect(eq(u64, ages.min_ns, 7 * SECOND_NS));
	cr_expect(eq(u64, ages.max_ns, 7 * SECOND_NS));
	place.task = &b;
	cr_expect(not(held_readings_ages(session->held_places, &place, &ages)));
	place.task = NULL;
	place.text = " c+0x1/0x2\n";
	cr_expect(not(held_readings_ages(session->held_places, &place, &ages)));
}

static Session *difference_of(const ImportType *type, const char *before, const char *after)
{
	Session *session = session_new(MEMORY_BYTES);

	session->held_record.is_compared = true;
	feed(session, type, before, strlen(before));
	session_next_reading(session);
	feed(session, type, after, strlen(after));
	session_finish(session);
	return session;
}

Test(import_held, a_difference_shows_growth_and_sums_up_what_shrank)
{
	g_autoptr(Session) session =
		difference_of(&import_allocinfo,
			      "100 10 a.c:1 func:grows\n500 5 a.c:2 func:shrinks\n"
			      "70 7 a.c:3 func:stays\n8 1 a.c:4 func:goes\n",
			      "160 14 a.c:1 func:grows\n300 3 a.c:2 func:shrinks\n"
			      "70 7 a.c:3 func:stays\n90 9 a.c:5 func:comes\n");
	const HeldTotals *totals = &session->held_totals;

	cr_expect(totals->is_difference);
	cr_expect(eq(u64, sums_of(session, " grows at a.c:1 [kernel]\n", NULL).objects, 4));
	cr_expect(
		eq(u64, sums_of(session, " grows at a.c:1 [kernel]\n", NULL).bytes_allocated, 60));
	cr_expect(eq(u64, sums_of(session, " comes at a.c:5 [kernel]\n", NULL).objects, 9));
	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, 13));
	cr_expect(eq(u64, totals->shrunk_places, 2));
	cr_expect(eq(u64, totals->shrunk_objects, 3));
	cr_expect(eq(u64, totals->shrunk_bytes, 208));
}

static void add_row(GString *text, unsigned row, Sums *sums, GRand *random)
{
	uint32_t objects = g_rand_int_range(random, 0, 20);
	uint32_t bytes = objects ? g_rand_int_range(random, 0, 5000) : 0;

	g_string_append_printf(text, "%u %u a.c:%u func:f\n", bytes, objects, row);
	sums->objects += objects;
	sums->bytes_allocated += bytes;
}

/* What is shown, what shrank and what became larger add up to the difference of the sums. */
Test(import_held, no_change_of_a_difference_is_dropped)
{
	enum { ROWS = 500, ROUNDS = 20 };

	for (uint32_t seed = 0; seed < ROUNDS; seed++) {
		g_autoptr(GRand) random = g_rand_new_with_seed(seed);
		g_autoptr(GString) before = g_string_new(NULL), after = g_string_new(NULL);
		Sums sums_before = { 0 }, sums_after = { 0 }, added;

		for (unsigned row = 0; row < ROWS; row++) {
			add_row(before, row, &sums_before, random);
			add_row(after, row, &sums_after, random);
		}
		g_autoptr(Session) session =
			difference_of(&import_allocinfo, before->str, after->str);
		const HeldTotals *totals = &session->held_totals;

		added = sums_of(session, NULL, NULL);
		cr_expect(eq(u64, sums_before.objects + added.objects - totals->shrunk_objects,
			     sums_after.objects));
		cr_expect(eq(u64,
			     sums_before.bytes_allocated + added.bytes_allocated +
				     totals->larger_bytes - totals->shrunk_bytes,
			     sums_after.bytes_allocated));
		cr_expect(lt(u64, 0, totals->larger_places));
	}
}

/* The same stack with one thread before and several after is one place. */
Test(import_held, a_difference_does_not_split_a_stack_by_threads)
{
	g_autoptr(Session) session =
		difference_of(&import_alloc_traces, "  5 foo+0x1/0x2 age=1 pid=7\n",
			      "  9 foo+0x1/0x2 age=1/2/3 pid=7-8\n");

	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, 4));
	cr_expect(eq(u64, session->held_totals.shrunk_objects, 0));
}

static char *many_places(unsigned places)
{
	GString *text = g_string_new("allocinfo - version: 1.0\n");

	for (unsigned i = 0; i < places; i++)
		g_string_append_printf(text, "64 2 a.c:%u func:place_number_%u\n", i, i);
	return g_string_free(text, FALSE);
}

Test(import_held, places_beyond_the_memory_limit_count_as_lost)
{
	enum { PLACES = 50000 };
	g_autofree char *text = many_places(PLACES);
	g_autoptr(Session) session = session_new(SMALL_MEMORY_BYTES);

	feed(session, &import_allocinfo, text, 4096);
	session_finish(session);
	ProfileTotals totals = profile_totals(session->profile);
	Losses losses = losses_of(session);

	cr_expect(eq(u64, totals.events, 2 * PLACES), "those without room count, too");
	cr_expect(lt(u64, 0, session->held_totals.over_bound));
	cr_expect(eq(u64, totals.over_bound, session->held_totals.over_bound));
	cr_expect(eq(u64, losses.over_bound, totals.over_bound));
	cr_expect(lt(u64, losses.over_bound, losses_counted(session)));
}

/* A fake host's files below a folder. */
static bool read_record(const char *name, const char *root, const char *first, const char *second,
			Session *session, GError **error)
{
	const KernelRecordRequest request = {
		.record = kernel_record_lookup(name),
		.files = { first, second },
		.root = root,
	};

	return kernel_record_read(&request, session, error);
}

Test(import_held, the_running_kernel_has_a_file_for_each_cache)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) error = NULL;

	temporary_write(root, "sys/kernel/debug/slab/filp/alloc_traces", TRACES, -1);
	temporary_write(root, "sys/kernel/debug/slab/dentry/alloc_traces", "No data\n", -1);
	temporary_write(root, "sys/kernel/slab/filp/object_size", "184\n", -1);
	cr_assert(read_record("alloc_traces", root, NULL, NULL, session, &error), "%s",
		  error ? error->message : "");
	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, 9));
	cr_expect(eq(u64, sums_of(session, NULL, NULL).bytes_allocated, 9 * 184));
}

Test(import_held, an_absent_record_names_its_remedy)
{
	static const struct {
		const char *name, *remedy;
	} records[] = {
		{ "alloc_traces", "slab_debug=U" },
		{ "allocinfo", "CONFIG_MEM_ALLOC_PROFILING" },
		{ "page_owner", "page_owner=on" },
	};
	g_autoptr(TemporaryFolder) root = temporary_folder();

	for (size_t i = 0; i < G_N_ELEMENTS(records); i++) {
		g_autoptr(Session) session = session_new(MEMORY_BYTES);
		g_autoptr(GError) error = NULL;

		cr_expect(not(read_record(records[i].name, root, NULL, NULL, session, &error)));
		cr_expect(strstr(error->message, records[i].remedy) != NULL, "%s", error->message);
	}
	/* debugfs is there, but no cache is debugged. */
	g_autofree char *empty = g_build_filename(root, "sys/kernel/debug/slab", NULL);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) error = NULL;

	g_mkdir_with_parents(empty, 0700);
	cr_expect(not(read_record("alloc_traces", root, NULL, NULL, session, &error)));
	cr_expect(strstr(error->message, "slab_debug=U") != NULL, "%s", error->message);
}

/* "CACHE.alloc_traces", and the folder of one cache with its object size. */
Test(import_held, copies_may_have_two_forms)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autofree char *flat = g_build_filename(root, "flat", NULL);
	g_autofree char *one = g_build_filename(root, "deep", "filp", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(Session) of_flat = session_new(MEMORY_BYTES);
	g_autoptr(Session) of_one = session_new(MEMORY_BYTES);

	temporary_write(root, "flat/kmalloc-64.alloc_traces", TRACES, -1);
	temporary_write(root, "flat/filp.alloc_traces", TRACES, -1);
	temporary_write(root, "flat/readme", "neither\n", -1);
	temporary_write(root, "deep/filp/alloc_traces", TRACES, -1);
	temporary_write(root, "deep/filp/object_size", "200\n", -1);
	cr_assert(read_record("alloc_traces", "", flat, NULL, of_flat, &error));
	cr_assert(read_record("alloc_traces", "", one, NULL, of_one, &error));
	cr_expect(eq(u64, sums_of(of_flat, NULL, NULL).objects, 18));
	cr_expect(eq(u64, sums_of(of_flat, NULL, NULL).bytes_allocated, 9 * 64));
	cr_expect(eq(u64, of_flat->held_unsized, 9));
	cr_expect(eq(u64, sums_of(of_one, NULL, NULL).bytes_allocated, 9 * 200));
}

/* One size for both readings, wherever it is known; the running kernel may be one of them. */
Test(import_held, a_difference_uses_one_object_size)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autofree char *copy = g_build_filename(root, "before", NULL);
	g_autofree char *live = g_build_filename(root, "sys/kernel/debug/slab", NULL);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) error = NULL;

	temporary_write(root, "before/filp/alloc_traces", "  5 foo+0x1/0x2 age=1 pid=7\n", -1);
	temporary_write(root, "sys/kernel/debug/slab/filp/alloc_traces",
			"  9 foo+0x1/0x2 age=1 pid=7\n", -1);
	temporary_write(root, "sys/kernel/slab/filp/object_size", "184\n", -1);
	cr_assert(read_record("alloc_traces", root, copy, live, session, &error));
	cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, 4));
	cr_expect(eq(u64, sums_of(session, NULL, NULL).bytes_allocated, 4 * 184));
	cr_expect(eq(u64, session->held_totals.shrunk_objects, 0));
	cr_expect(eq(u64, session->held_unsized, 0));
}

Test(import_held, a_difference_beyond_the_memory_limit_is_refused)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autofree char *path = g_build_filename(root, "allocinfo", NULL);
	g_autofree char *text = many_places(50000);
	g_autoptr(Session) session = session_new(SMALL_MEMORY_BYTES);
	g_autoptr(GError) error = NULL;

	temporary_write(root, "allocinfo", text, -1);
	cr_expect(not(read_record("allocinfo", "", path, path, session, &error)));
	cr_expect(strstr(error->message, "--max-memory") != NULL, "%s", error->message);
}

/* Texts are read in pieces of any size. */
Test(import_held, texts_may_be_chunked)
{
	static const struct {
		const ImportType *type;
		const char *text;
		uint64_t objects;
	} texts[] = {
		{ &import_allocinfo, ALLOCINFO, 6 },
		{ &import_alloc_traces, TRACES, 9 },
		{ &import_page_owner, "2 times, 2 pages:\n" PAGE_STACK "\n", 2 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		for (size_t chunk = 1; chunk < 100; chunk += 7) {
			g_autoptr(Session) session = session_new(MEMORY_BYTES);

			cr_expect(import_type_recognise(texts[i].text, strlen(texts[i].text)) ==
				  texts[i].type);
			feed(session, texts[i].type, texts[i].text, chunk);
			session_finish(session);
			cr_expect(eq(u64, session->unreadable_lines, 0));
			cr_expect(eq(u64, sums_of(session, NULL, NULL).objects, texts[i].objects));
		}
}
