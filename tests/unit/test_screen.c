/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the interactive mode shows, without a terminal. */
#include "screen/detail_view.h"
#include "screen/history.h"
#include "screen/keys.h"
#include "screen/made_tables.h"
#include "screen/page.h"
#include "screen/replay.h"
#include "screen/state.h"
#include "screen/table_view.h"
#include "screen/screen.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <locale.h>
#include <string.h>

static void use_utf8(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
}

TestSuite(screen, .init = use_utf8, .fini = leaks_abort);

static const ScreenOptions options = {
	.program = "unit",
	.columns = made_columns,
	.sort = &metrics[METRIC_BYTES_ALLOCATED],
	.interval_s = 1,
	.collector = "perf",
	.covers = "kmalloc",
};

enum { PLENTY = 16 << 20 };

typedef struct {
	ScreenState state;
	GAsyncQueue *commands;
} Fixture;

static void fixture_init_with(Fixture *fixture, const ScreenOptions *chosen, uint64_t tables)
{
	fixture->commands = g_async_queue_new();
	state_init(&fixture->state, chosen, fixture->commands);
	fixture->state.utf8 = true;
	for (uint64_t i = 0; i < tables; i++)
		replay_take_table(&fixture->state, made_table(i));
}

static void fixture_init(Fixture *fixture, uint64_t tables)
{
	fixture_init_with(fixture, &options, tables);
}

static void fixture_clear(Fixture *fixture)
{
	ScreenCommand *command;

	while ((command = g_async_queue_try_pop(fixture->commands))) {
		g_free(command->text);
		g_free(command);
	}
	g_async_queue_unref(fixture->commands);
	state_clear(&fixture->state);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_clear)

static void expect_fit(const char *text, unsigned width, bool utf8, const char *expected)
{
	g_autoptr(GString) out = g_string_new(NULL);

	fit_left(out, text, width, utf8);
	cr_expect_str_eq(out->str, expected, "\"%s\" in %u: \"%s\"", text, width, out->str);
}

Test(screen, texts_take_the_columns_they_are_given)
{
	expect_fit("filp", 6, true, "filp  ");
	expect_fit("filp", 4, true, "filp");
	expect_fit("filp", 3, true, "fi~");
	expect_fit("filp", 0, true, "");
	expect_fit("漢字", 5, true, "漢字 ");
	expect_fit("漢字", 3, true, "漢~");
	expect_fit("漢字", 2, true, "~ ");
	expect_fit("漢字", 4, false, "??  ");
	expect_fit("a\033[2J\xff"
		   "b",
		   8, true, "a?[2J?b ");
	expect_fit("e\314\201x", 4, true, "e?x ");
}

static void expect_sparkline(const double *values, unsigned count, bool utf8, const char *expected)
{
	g_autoptr(GString) out = g_string_new(NULL);

	sparkline_append(out, values, count, utf8);
	cr_expect_str_eq(out->str, expected);
}

Test(screen, numbers_are_scaled_rather_than_cut)
{
	static const struct {
		const char *digits;
		unsigned width;
		const char *shown;
	} cases[] = {
		{ "108408299", 9, "108408299" },
		{ "1084082990", 9, "     1.1G" },
		{ "108408299", 6, "  108M" },
		{ "-12944", 5, " -13k" },
		{ "999999", 5, " 1.0M" },
		{ "18.5 %", 7, " 18.5 %" },
		{ "-", 3, "  -" },
		{ "108,408,299", 11, "108,408,299" },
		{ "~108,408,299", 10, "     ~108M" },
		{ "~45,353", 6, "~45.4k" },
		{ "~108,408,299", 9, "    ~108M" },
		{ "-12,944", 5, " -13k" },
		{ "1,023 KiB", 10, " 1,023 KiB" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) out = g_string_new(NULL);

		fit_number(out, cases[i].digits, cases[i].width, true);
		cr_expect_str_eq(out->str, cases[i].shown, "%s: '%s'", cases[i].digits, out->str);
	}
}

static void add_stack(GArray *stacks, const char *label, FrameList *frames)
{
	RateDetailRow stack = { .label = (char *)label, .frames = frames };

	g_array_append_val(stacks, stack);
}

static Frame frame_in(const char *function, const char *module, uint64_t offset)
{
	return (Frame){
		.address = 0xff00 + offset,
		.offset = offset,
		.bytes = 9,
		.function = function,
		.module = module,
		.address_digits = 16,
	};
}

Test(screen, stacks_that_look_alike_show_where_they_differ)
{
	g_autoptr(GArray) stacks = g_array_new(FALSE, FALSE, sizeof(RateDetailRow));
	const Frame first[] = { frame_in("dup", "kernel", 1), frame_in("f", "m", 2) };
	const Frame second[] = { frame_in("dup", "kernel", 1), frame_in("f", "m", 5) };
	g_autoptr(FrameList) none = frame_list_new(NULL, 0);
	g_autoptr(FrameList) dup = frame_list_new(first, 2), dup_too = frame_list_new(second, 2);
	g_auto(GStrv) narrow = NULL, wide = NULL;

	add_stack(stacks, "alloc_empty_file < path_openat < do_sys_open", none);
	add_stack(stacks, "sock_alloc_file", none);
	add_stack(stacks, "alloc_empty_file < path_openat < do_filp_open < execve", none);
	add_stack(stacks, "alloc_empty_file < path_openat < do_filp_open < openat", none);
	add_stack(stacks, "dup", dup);
	add_stack(stacks, "dup", dup_too);
	narrow = chains_apart(stacks, 20, true);
	cr_expect_str_eq(narrow[0], "... < do_sys_open");
	cr_expect_str_eq(narrow[1], "sock_alloc_file");
	cr_expect_str_eq(narrow[2], "... < execve");
	cr_expect_str_eq(narrow[3], "... < openat");
	cr_expect_str_eq(narrow[4], "... < f+0x2/0x9 [m]");
	cr_expect_str_eq(narrow[5], "... < f+0x5/0x9 [m]");
	wide = chains_apart(stacks, 80, true);
	cr_expect_str_eq(wide[2], "alloc_empty_file < path_openat < do_filp_open < execve");
	cr_expect_null(wide[6]);
}

Test(screen, a_sparkline_goes_from_nothing_to_the_largest)
{
	const double values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	const double little[] = { 0, 1, 1e9 };
	const double nothing[] = { 0, 0 };

	expect_sparkline(values, 9, true, " ▁▂▃▄▅▆▇█");
	expect_sparkline(values, 9, false, " _.-=+*%#");
	expect_sparkline(little, 3, false, " _#");
	expect_sparkline(nothing, 2, true, "  ");
	expect_sparkline(NULL, 0, true, "");
}

Test(screen, a_history_has_the_last_intervals)
{
	g_autoptr(History) history = history_new();
	double rates[HISTORY_INTERVALS];

	for (uint64_t i = 0; i < 70; i++) {
		g_autoptr(RateTable) table = made_table(i);

		history_take(history, table);
	}
	history_get(history, "filp", rates, HISTORY_INTERVALS);
	cr_expect_eq(rates[0], 256 * 100 * 11.0);
	cr_expect_eq(rates[HISTORY_INTERVALS - 1], 256 * 100 * 70.0);
	history_get(history, "filp", rates, 2);
	cr_expect_eq(rates[0], 256 * 100 * 69.0);
	history_get(history, "nobody", rates, 1);
	cr_expect_eq(rates[0], 0);
}

Test(screen, a_cache_without_allocations_has_a_gap)
{
	g_autoptr(History) history = history_new();
	double rates[4];

	for (uint64_t i = 0; i < 4; i++) {
		g_autoptr(RateTable) table = made_table(i);

		if (i == 1 || i == 2)
			g_array_set_size(table->rows, 0);
		history_take(history, table);
	}
	history_get(history, "filp", rates, 4);
	cr_expect_eq(rates[0], 25600);
	cr_expect_eq(rates[1], 0);
	cr_expect_eq(rates[2], 0);
	cr_expect_eq(rates[3], 102400);
}

/* Whatever the width, a line is no longer. */
Test(screen, a_layout_fits_any_width)
{
	for (unsigned width = 0; width < 400; width++) {
		Layout layout = layout_for(made_columns, 40, width, false);
		unsigned taken = layout.name + (layout.sparkline ? 2 + layout.sparkline : 0);

		for (unsigned i = 1; i < layout.columns; i++)
			taken += 1 + layout_cell(made_columns[i], false);
		cr_expect_leq(taken, width);
		cr_expect_leq(layout.sparkline, HISTORY_INTERVALS);
	}
	cr_expect_eq(layout_for(made_columns, 10, 80, false).columns, 3);
	cr_expect_eq(layout_for(made_columns, 10, 24, false).columns, 2);
	cr_expect_eq(layout_for(made_columns, 10, 200, false).sparkline, 60);
	cr_expect_eq(layout_for(made_columns, 90, 200, false).name, 90);
}

static const char *label_at(const GArray *rows, guint i)
{
	return g_array_index(rows, RateRow, i).label;
}

Test(screen, rows_are_sorted_filtered_and_cut)
{
	g_auto(Fixture) fixture;
	g_autoptr(GArray) all = NULL, some = NULL;

	fixture_init(&fixture, 9);
	all = table_view_rows(&fixture.state);
	cr_expect_str_eq(label_at(all, 0), "filp");
	fixture.state.sort = &metrics[METRIC_CACHE];
	fixture.state.filter = g_strdup("CACHE_1");
	some = table_view_rows(&fixture.state);
	cr_assert_eq(some->len, 10);
	cr_expect_str_eq(label_at(some, 0), "small_cache_10");
}

static void expect_line(const Fixture *fixture, unsigned width, const char *expected)
{
	g_autoptr(Page) page = views_page(&fixture->state, width);
	g_autofree char *text = page_text(page);

	cr_expect_not_null(strstr(text, expected), "\"%s\" is not in:\n%s", expected, text);
}

Test(screen, bytes_have_units_until_exact_numbers_are_asked_for)
{
	g_auto(Fixture) fixture;

	fixture_init(&fixture, 9);
	expect_line(&fixture, 70, "     900    225 KiB");
	keys_press(&fixture.state, 'e');
	expect_line(&fixture, 70, "     900    230,400");
	keys_press(&fixture.state, 'e');
	keys_press(&fixture.state, '\n');
	state_take_detail(&fixture.state, made_detail("filp", 12, "process"));
	expect_line(&fixture, 70, " | 100 allocations, 25.0 KiB | lost 0");
	expect_line(&fixture, 70, " 22.5 KiB ");
	keys_press(&fixture.state, 'e');
	expect_line(&fixture, 70, " | 100 allocations, 25,600 bytes | lost 0");
}

Test(screen, caches_without_their_frees_are_named_as_such)
{
	g_auto(Fixture) fixture = { 0 };
	RateTable *table = made_table(0);

	fixture_init(&fixture, 0);
	g_array_index(table->rows, RateRow, 1).lacks |= NEEDS_HELD;
	replay_take_table(&fixture.state, table);
	expect_line(&fixture, 100, "lost 0 | HELD - of 1 cache: frees not seen | cost");
	/* Without --held no cache has that figure, and nothing is to be said. */
	table = made_table(1);
	table->sum.lacks |= NEEDS_HELD;
	g_array_index(table->rows, RateRow, 1).lacks |= NEEDS_HELD;
	replay_take_table(&fixture.state, table);
	expect_line(&fixture, 100, "lost 0 | cost");
}

Test(screen, walks_that_differ_are_shown_beside_the_loss)
{
	g_auto(Fixture) fixture;

	fixture_init(&fixture, 9);
	fixture.state.shown.latest->walks_different = 3;
	expect_line(&fixture, 70, " | stack walks that differ: 3 | ");
	keys_press(&fixture.state, '\n');
	state_take_detail(&fixture.state, made_detail("filp", 12, "process"));
	fixture.state.detail->walks_different = 2;
	expect_line(&fixture, 100, " | lost 0 | stack walks that differ: 2");
}

Test(screen, names_that_differ_are_shown_beside_the_loss)
{
	g_auto(Fixture) fixture;

	fixture_init(&fixture, 9);
	fixture.state.shown.latest->names_different = 3;
	expect_line(&fixture, 70, " | cache names that differ: 3 | ");
	keys_press(&fixture.state, '\n');
	state_take_detail(&fixture.state, made_detail("filp", 12, "process"));
	fixture.state.detail->names_different = 2;
	expect_line(&fixture, 100, " | lost 0 | cache names that differ: 2");
}

Test(screen, each_number_of_a_sample_is_marked)
{
	g_auto(Fixture) fixture;

	fixture_init(&fixture, 9);
	fixture.state.shown.latest->sampling_period = 4;
	fixture.state.shown.latest->sum.sums.variance.bytes_allocated = 1e8;
	expect_line(&fixture, 70, "*BYTES  +-%");
	expect_line(&fixture, 70, "    ~900   ~225 KiB    0");
	expect_line(&fixture, 70, "~3,282   ~459 KiB  4.2");
	/* Where there is room. */
	expect_line(&fixture, 36, "   ~900   ~225 KiB");
	keys_press(&fixture.state, '\n');
	state_take_detail(&fixture.state, made_detail("filp", 12, "process"));
	fixture.state.detail->estimated = true;
	g_array_index(fixture.state.detail->groups, RateDetailRow, 0)
		.sums.variance.bytes_allocated =
		136251; /* 3.14 % of 23,040 are 1.96 of its roots */
	expect_line(&fixture, 70, " | ~100 allocations, ~25.0 KiB | lost 0");
	expect_line(&fixture, 70, "SHARE  +-%");
	fixture.state.detail->sums.variance.bytes_allocated = 27084; /* 1.26 % */
	expect_line(&fixture, 70, " | ~100 allocations, ~25.0 KiB (+-1.3 %) | lost 0");
	expect_line(&fixture, 70, " ~22.5 KiB  90.0 %  3.1");
}

static RateRow *row_of(const RateTable *table, const char *label)
{
	for (guint i = 0; i < table->rows->len; i++)
		if (g_str_equal(g_array_index(table->rows, RateRow, i).label, label))
			return &g_array_index(table->rows, RateRow, i);
	return NULL;
}

Test(screen, variances_of_intervals_add_up)
{
	g_autoptr(RateTable) first = made_table(1);
	g_autoptr(RateTable) later = made_table(2);
	g_autoptr(RateTable) sum = NULL;

	row_of(first, "filp")->sums.variance =
		(Variance){ .allocations = 3, .bytes_allocated = 30 };
	row_of(later, "filp")->sums.variance =
		(Variance){ .allocations = 4, .bytes_allocated = 40 };
	row_of(later, "dentry")->sums.variance.allocations = 5;
	later->sum.sums.variance.allocations = 9;
	sum = rate_table_copy(first);
	rate_table_add(sum, later, rate_sort_default);
	cr_expect_float_eq(row_of(sum, "filp")->sums.variance.allocations, 7, 1e-9);
	cr_expect_float_eq(row_of(sum, "filp")->sums.variance.bytes_allocated, 70, 1e-9);
	cr_expect_float_eq(row_of(sum, "dentry")->sums.variance.allocations, 5, 1e-9);
	cr_expect_float_eq(sum->sum.sums.variance.allocations, 9, 1e-9);
}

Test(screen, what_was_selected_stays_so)
{
	g_auto(Fixture) fixture;
	g_autoptr(GArray) rows = NULL;

	fixture_init(&fixture, 1);
	keys_press(&fixture.state, 'j');
	cr_assert_str_eq(fixture.state.table_label, "kmalloc-64 (also: eventpoll_pwq)");
	for (uint64_t i = 1; i < 9; i++)
		replay_take_table(&fixture.state, made_table(i));
	rows = table_view_rows(&fixture.state);
	cr_expect_eq(table_view_selected(&fixture.state, rows), 2);
}

Test(screen, a_sum_goes_on_while_it_is_paused)
{
	g_auto(Fixture) fixture;

	fixture_init(&fixture, 2);
	fixture.state.is_cumulative = true;
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations, 2482 + 2582);
	keys_press(&fixture.state, ' ');
	replay_take_table(&fixture.state, made_table(2));
	replay_take_table(&fixture.state, made_table(3));
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations, 2482 + 2582);
	cr_expect_eq(fixture.state.events_lost, 7);
	keys_press(&fixture.state, ' ');
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations,
		     2482 + 2582 + 2682 + 2782);
}

Test(screen, a_replay_ends_on_a_whole_interval)
{
	ScreenOptions recorded = options;
	RateTable *rest = made_table(2), *half = made_table(3);
	g_auto(Fixture) fixture;

	recorded.recorded = true;
	rest->end_ns = rest->start_ns + 400000000;
	half->end_ns = half->start_ns + 500000000;
	recorded.kept_bytes_max = PLENTY;
	fixture_init_with(&fixture, &recorded, 2);
	replay_take_table(&fixture.state, rest);
	cr_expect_eq(state_table(&fixture.state)->number, 1);
	fixture.state.is_cumulative = true;
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations, 2482 + 2582 + 2682);
	fixture.state.is_cumulative = false;
	replay_take_table(&fixture.state, half);
	cr_expect_eq(state_table(&fixture.state)->number, 3);
}

static ScreenOptions replay_options(size_t kept_bytes_max)
{
	ScreenOptions recorded = options;

	recorded.recorded = true;
	recorded.recorded_end_ns = 12 * G_GUINT64_CONSTANT(1000000000);
	recorded.kept_bytes_max = kept_bytes_max;
	return recorded;
}

static uint64_t shown_number(const Fixture *fixture)
{
	return fixture->state.shown.latest->number;
}

static void expect_command(Fixture *fixture, ScreenCommandKind kind)
{
	g_autofree ScreenCommand *command = g_async_queue_try_pop(fixture->commands);

	cr_assert_not_null(command);
	cr_expect_eq(command->kind, kind, "%d", command->kind);
}

Test(screen, a_replay_shows_its_position_and_its_end)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	g_auto(Fixture) fixture;

	fixture_init_with(&fixture, &recorded, 3);
	expect_line(&fixture, 120, "interval 3 of 12, to 3.0 s | lost 0 | ");
	for (uint64_t i = 3; i < 5; i++)
		replay_take_table(&fixture.state, made_table(i));
	expect_line(&fixture, 120, "interval 5 of 12, to 5.0 s | lost 7 | ");
	replay_end(&fixture.state);
	expect_line(&fixture, 120, "interval 5 of 5, to 5.0 s, end of the recording | lost 7 | ");
	keys_press(&fixture.state, ',');
	expect_line(&fixture, 120, "interval 4 of 5, to 4.0 s | lost 7 | ");
	keys_press(&fixture.state, ',');
	expect_line(&fixture, 120, "interval 3 of 5, to 3.0 s | lost 0 | ");
	keys_press(&fixture.state, '+');
	cr_expect_eq(fixture.state.interval_s, 1);
	cr_expect_str_eq(fixture.state.saying, "the recording is read: its intervals are fixed");
}

Test(screen, a_replay_says_that_it_is_at_its_end_only_while_it_is_there)
{
	static const char elsewhere[] = ",[]";

	for (const char *key = elsewhere; *key; key++) {
		const ScreenOptions recorded = replay_options(PLENTY);
		g_auto(Fixture) fixture;

		fixture_init_with(&fixture, &recorded, 3);
		replay_end(&fixture.state);
		keys_press(&fixture.state, '.');
		cr_expect_str_eq(fixture.state.saying, "the recording is at its end");
		keys_press(&fixture.state, *key);
		cr_expect_null(fixture.state.saying, "%c: %s", *key, fixture.state.saying);
	}
}

Test(screen, a_detail_of_a_recording_shows_how_much_of_it_was_read)
{
	ScreenOptions recorded = replay_options(PLENTY);
	g_auto(Fixture) fixture;

	recorded.behind_from_start = true;
	fixture_init_with(&fixture, &recorded, 3);
	keys_press(&fixture.state, '\n');
	state_take_detail(&fixture.state, made_detail("filp", 0.7, "process"));
	expect_line(&fixture, 100, " | of the first 0.7 s | 100 allocations, ");
}

Test(screen, a_replay_of_unknown_length_shows_no_end)
{
	ScreenOptions recorded = replay_options(PLENTY);
	g_auto(Fixture) fixture;

	recorded.recorded_end_ns = 0;
	fixture_init_with(&fixture, &recorded, 3);
	expect_line(&fixture, 120, "interval 3, to 3.0 s | lost 0 | ");
}

Test(screen, a_replay_steps_through_what_is_kept_before_it_reads_on)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	g_auto(Fixture) fixture;

	fixture_init_with(&fixture, &recorded, 3);
	keys_press(&fixture.state, ',');
	expect_command(&fixture, SCREEN_HOLD);
	cr_expect_eq(shown_number(&fixture), 1);
	cr_expect(fixture.state.is_paused);
	fixture.state.is_cumulative = true;
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations, 2482 + 2582);
	keys_press(&fixture.state, '.');
	cr_expect_eq(shown_number(&fixture), 2);
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations, 2482 + 2582 + 2682);
	cr_expect_eq(g_async_queue_length(fixture.commands), 0);
	keys_press(&fixture.state, '.');
	expect_command(&fixture, SCREEN_STEP);
	replay_take_table(&fixture.state, made_table(3));
	replay_take_table(&fixture.state, made_table(4));
	cr_expect_eq(shown_number(&fixture), 3);
	cr_expect(fixture.state.is_paused);
}

Test(screen, a_replay_makes_each_step_that_is_asked_for_before_its_interval_is_read)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	g_auto(Fixture) fixture;

	fixture_init_with(&fixture, &recorded, 1);
	for (int i = 0; i < 3; i++)
		keys_press(&fixture.state, '.');
	expect_command(&fixture, SCREEN_HOLD);
	for (uint64_t i = 1; i <= 3; i++) {
		expect_command(&fixture, SCREEN_STEP);
		cr_expect_eq(g_async_queue_length(fixture.commands), 0);
		replay_take_table(&fixture.state, made_table(i));
		cr_expect_eq(shown_number(&fixture), i);
	}
	cr_expect_eq(g_async_queue_length(fixture.commands), 0);
	replay_take_table(&fixture.state, made_table(4));
	cr_expect_eq(shown_number(&fixture), 3);
}

Test(screen, a_replay_goes_to_its_start_and_plays_on_from_there)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	const gint64 second_us = G_USEC_PER_SEC;
	g_auto(Fixture) fixture;
	gint64 from_us;

	fixture_init_with(&fixture, &recorded, 3);
	keys_press(&fixture.state, '[');
	expect_command(&fixture, SCREEN_HOLD);
	cr_expect_eq(shown_number(&fixture), 0);
	cr_expect_not(replay_tick(&fixture.state, g_get_monotonic_time() + 9 * second_us));
	keys_press(&fixture.state, ' ');
	expect_command(&fixture, SCREEN_PLAY);
	from_us = fixture.state.shown_at_us;
	cr_expect_not(replay_tick(&fixture.state, from_us + second_us - 1));
	cr_expect(replay_tick(&fixture.state, from_us + second_us));
	cr_expect_eq(shown_number(&fixture), 1);
	replay_take_table(&fixture.state, made_table(3));
	cr_expect_eq(shown_number(&fixture), 1);
	keys_press(&fixture.state, ']');
	expect_command(&fixture, SCREEN_TO_END);
	cr_expect_eq(shown_number(&fixture), 3);
	replay_take_table(&fixture.state, made_table(4));
	cr_expect_eq(shown_number(&fixture), 4);
}

Test(screen, a_replay_drops_the_oldest_intervals_beyond_its_memory_but_not_their_sums)
{
	const ScreenOptions recorded = replay_options(100000);
	uint64_t sum = 0, first;
	g_auto(Fixture) fixture;

	fixture_init_with(&fixture, &recorded, 9);
	cr_expect_lt(tape_length(fixture.state.tape), 9);
	cr_assert_gt(tape_length(fixture.state.tape), 1);
	keys_press(&fixture.state, '[');
	first = shown_number(&fixture);
	cr_expect_eq(first, 9 - tape_length(fixture.state.tape));
	for (uint64_t i = 0; i <= first; i++)
		sum += 2482 + 100 * i;
	fixture.state.is_cumulative = true;
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations, sum);
	keys_press(&fixture.state, ',');
	cr_expect_str_eq(fixture.state.saying, "no earlier interval is kept");
}

Test(screen, a_short_interval_within_a_replay_is_one_of_its_intervals)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	RateTable *cut = made_table(2);
	g_auto(Fixture) fixture;

	cut->end_ns = cut->start_ns + 400000000;
	fixture_init_with(&fixture, &recorded, 2);
	replay_take_table(&fixture.state, cut);
	cr_expect_eq(shown_number(&fixture), 1);
	replay_take_table(&fixture.state, made_table(3));
	cr_expect_eq(shown_number(&fixture), 3);
	keys_press(&fixture.state, ',');
	cr_expect_eq(shown_number(&fixture), 2);
	fixture.state.is_cumulative = true;
	cr_expect_eq(state_table(&fixture.state)->sum.sums.summary.allocations, 2482 + 2582 + 2682);
}

/* The chart of a cache ends with the shown interval. */
Test(screen, a_replay_shows_the_rates_up_to_its_position)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	double rates[2];
	g_auto(Fixture) fixture;

	fixture_init_with(&fixture, &recorded, 5);
	history_get(fixture.state.shown_history, "filp", rates, 2);
	cr_expect_eq(rates[1], 256 * 500.0);
	keys_press(&fixture.state, ',');
	history_get(fixture.state.shown_history, "filp", rates, 2);
	cr_expect_eq(rates[0], 256 * 300.0);
	cr_expect_eq(rates[1], 256 * 400.0);
}

Test(screen, a_replay_held_before_its_first_interval_reads_it_for_its_start)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	g_auto(Fixture) fixture;

	fixture_init_with(&fixture, &recorded, 0);
	keys_press(&fixture.state, ' ');
	expect_command(&fixture, SCREEN_HOLD);
	expect_line(&fixture, 120, "PAUSED | unit: waiting for the first 1 s");
	keys_press(&fixture.state, '[');
	expect_command(&fixture, SCREEN_STEP);
	replay_take_table(&fixture.state, made_table(0));
	cr_expect_eq(shown_number(&fixture), 0);
}

Test(screen, keys_of_a_recording_do_nothing_on_a_live_host)
{
	const ScreenOptions recorded = replay_options(PLENTY);
	g_auto(Fixture) live;
	g_auto(Fixture) replay;
	g_autoptr(Page) live_page = NULL, replay_page = NULL;
	g_autofree char *live_help = NULL, *replay_help = NULL;

	fixture_init(&live, 3);
	fixture_init_with(&replay, &recorded, 3);
	keys_press(&live.state, ',');
	keys_press(&live.state, ']');
	cr_expect_eq(g_async_queue_length(live.commands), 0);
	cr_expect_not(live.state.is_paused);
	keys_press(&live.state, 'h');
	keys_press(&replay.state, 'h');
	live_help = page_text(live_page = views_page(&live.state, 100));
	replay_help = page_text(replay_page = views_page(&replay.state, 100));
	cr_expect_null(strstr(live_help, "interval of the recording"));
	cr_expect_not_null(strstr(replay_help, "interval of the recording"));
}

Test(screen, a_late_detail_of_a_cache_that_was_left_is_dropped)
{
	g_auto(Fixture) fixture;

	fixture_init(&fixture, 1);
	state_take_detail(&fixture.state, made_detail("filp", 1, "process"));
	cr_expect_null(fixture.state.detail);
}

Test(screen, what_is_no_one_cache_is_not_opened)
{
	g_auto(Fixture) fixture;

	fixture_init(&fixture, 1);
	for (int i = 0; i < 3; i++)
		keys_press(&fixture.state, 'j');
	keys_press(&fixture.state, '\n');
	cr_expect_eq(fixture.state.view, VIEW_TABLE);
	cr_expect_eq(g_async_queue_length(fixture.commands), 0);
	cr_expect_not_null(fixture.state.saying);
}

/* Every view at every width, with and without what it shows. */
Test(screen, pages_are_made_of_any_width)
{
	static const int presses[] = { '\n', 'h', 'h', '\n', 'w', 'x', 0x1b, 0x1b, 0x1b, '/', 'f' };

	for (unsigned width = 0; width < 200; width += 7) {
		g_auto(Fixture) fixture;

		fixture_init(&fixture, width % 3);
		for (size_t i = 0; i < G_N_ELEMENTS(presses); i++) {
			g_autoptr(Page) page = NULL;

			keys_press(&fixture.state, presses[i]);
			if (fixture.state.open_cache && i > 1)
				state_take_detail(&fixture.state,
						  made_detail("filp", 2, "process"));
			page = views_page(&fixture.state, width);
			cr_expect_eq(page->foot->len > 0, true);
		}
	}
}

Test(screen, a_page_scrolls_no_further_than_it_must)
{
	g_autoptr(Page) page = page_new();

	for (int i = 0; i < 10; i++)
		page_add(page->body, LOOK_PLAIN, g_strdup(""));
	page->selected = 5;
	cr_expect_eq(page_scroll(page, 0, 4), 2);
	cr_expect_eq(page_scroll(page, 3, 4), 3);
	cr_expect_eq(page_scroll(page, 9, 4), 5);
	cr_expect_eq(page_scroll(page, 9, 20), 0);
}

Test(screen, a_file_is_written_once)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "view", NULL), *text = NULL;
	g_autoptr(Page) page = page_new();
	g_autoptr(GError) error = NULL;

	page_add(page->body, LOOK_PLAIN, g_strdup("first"));
	cr_assert(page_save(page, path, NULL));
	page_add(page->body, LOOK_PLAIN, g_strdup("second"));
	cr_expect_not(page_save(page, path, &error));
	cr_expect_not_null(error);
	text = file_read(path, NULL);
	cr_expect_str_eq(text, "first\n");
}
