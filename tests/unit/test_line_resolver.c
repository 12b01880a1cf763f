/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "code/lines/line_resolver.h"

#include "leaks.h"
#include "lines_example.h"
#include "lines_run.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

TEST_SUITE_WITHOUT_LEAKS(line_resolver);

#define RELEASE "6.1.0"

/* A host, and a recording whose kernel is lines_subject. */
typedef struct {
	LinesRun run;
	char *root;     /* of the host */
	char *given;    /* path of --debuginfo, below it */
	char *build_id; /* of lines_subject */
	uint64_t start; /* its _stext */
	LineResolver *resolver;
} Fixture;

static void start(Fixture *fixture, const char *build_id)
{
	g_autofree char *modules = NULL;

	*fixture = (Fixture){ .root = temporary_folder(),
			      .build_id = lines_example_build_id(LINES_SUBJECT),
			      .start = lines_example_number("_stext", LINES_EXAMPLE_ADDRESS) };
	fixture->given = g_build_filename(fixture->root, "given", NULL);
	fixture->resolver =
		line_resolver_new(debug_files_new((const char *const[]){ fixture->given, NULL },
						  RELEASE, fixture->root),
				  NULL);
	lines_run_init(&fixture->run);
	modules = g_strdup_printf("kernel 0 0x0 %s\n", build_id ? build_id : fixture->build_id);
	lines_run_text(&fixture->run, KMT_BATCH_MODULES, modules);
}

static void stop(Fixture *fixture)
{
	line_resolver_free(fixture->resolver);
	lines_run_clear(&fixture->run);
	temporary_free(fixture->root);
	g_free(fixture->given);
	g_free(fixture->build_id);
}

/* Copies a file to a name below the root. */
static void copy_to(const Fixture *fixture, const char *path, const char *name)
{

	temporary_copy(fixture->root, name, path);
}

static void copy_to_given(const Fixture *fixture, const char *path)
{
	copy_to(fixture, path, "given");
}

/* Where in the kernel a function of the subject has code. */
static uint64_t offset_of(const Fixture *fixture, const char *function)
{
	return lines_example_number(function, LINES_EXAMPLE_ADDRESS) - fixture->start;
}

static const LinesObject *update(Fixture *fixture)
{
	line_resolver_update(fixture->resolver, fixture->run.session);
	cr_assert_geq(line_resolver_count(fixture->resolver), 1);
	return line_resolver_object(fixture->resolver, 0);
}

static void expect_function(const Fixture *fixture, const char *key, uint64_t offset,
			    const char *function)
{
	g_autofree char *whole = g_strconcat(key, fixture->build_id, NULL);
	size_t count = 0;
	const LineFrame *frames =
		line_table_find(fixture->run.session->lines, whole, offset, &count);

	cr_assert_not_null(frames, "%s %lx", whole, (unsigned long)offset);
	cr_expect_str_eq(frames[0].function, function);
}

Test(line_resolver, a_later_update_finds_what_is_new)
{
	Fixture fixture;
	const LinesObject *object;
	uint64_t offset;

	start(&fixture, NULL);
	copy_to_given(&fixture, LINES_SUBJECT);
	offset = offset_of(&fixture, "inlined_function");
	lines_run_kernel(&fixture.run, LINES_TEXT + offset);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_KNOWN);
	cr_expect_str_eq(object->path, fixture.given);
	cr_expect_eq(object->places, 1);
	expect_function(&fixture, "k:", offset, "inlined_function");
	lines_run_kernel(&fixture.run, LINES_TEXT);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_KNOWN);
	cr_expect_str_eq(object->path, fixture.given);
	cr_expect_eq(object->places, 2);
	expect_function(&fixture, "k:", 0, "_stext");
	expect_function(&fixture, "k:", offset, "inlined_function");
	stop(&fixture);
}

/* A package may be upgraded during a long run. */
Test(line_resolver, a_file_that_is_replaced_is_shown_and_what_was_read_stays_known)
{
	Fixture fixture;

	start(&fixture, NULL);
	copy_to_given(&fixture, LINES_SUBJECT);
	lines_run_kernel(&fixture.run, LINES_TEXT);
	cr_expect_eq(update(&fixture)->state, LINES_KNOWN);
	copy_to_given(&fixture, LINES_SUBJECT_NAMELESS);
	lines_run_kernel(&fixture.run, LINES_TEXT + 1);
	cr_expect_eq(update(&fixture)->state, LINES_WRONG_FILE);
	expect_function(&fixture, "k:", 0, "_stext");
	stop(&fixture);
}

/* A recording of the program whose debug data refer to those of another file. */
static void start_referring(Fixture *fixture)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT_REFERRING);

	start(fixture, build_id);
	copy_to_given(fixture, LINES_SUBJECT_REFERRING);
}

Test(line_resolver, a_file_that_is_referred_to_is_found)
{
	Fixture fixture;
	const LinesObject *object;

	start_referring(&fixture);
	copy_to(&fixture, LINES_SUBJECT_COMMON, "common.debug");
	lines_run_kernel(&fixture.run, LINES_TEXT);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_KNOWN);
	cr_expect_null(object->missing);
	stop(&fixture);
}

Test(line_resolver, without_a_file_that_is_referred_to_lines_are_known)
{
	Fixture fixture;
	const LinesObject *object;

	start_referring(&fixture);
	lines_run_kernel(&fixture.run, LINES_TEXT);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_KNOWN);
	cr_expect_eq(g_strcmp0(object->missing, "common.debug"), 0, "%s", object->missing);
	stop(&fixture);
}

/* It has a package of its own. */
Test(line_resolver, a_file_that_is_referred_to_may_be_removed_between_updates)
{
	Fixture fixture;
	const LinesObject *object;
	g_autofree char *common = NULL;

	start_referring(&fixture);
	common = g_build_filename(fixture.root, "common.debug", NULL);
	copy_to(&fixture, LINES_SUBJECT_COMMON, "common.debug");
	lines_run_kernel(&fixture.run, LINES_TEXT);
	cr_expect_eq(update(&fixture)->state, LINES_KNOWN);
	cr_assert_eq(unlink(common), 0);
	lines_run_kernel(&fixture.run, LINES_TEXT + 1);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_KNOWN, "%d", object->state);
	cr_expect_eq(g_strcmp0(object->missing, "common.debug"), 0, "%s", object->missing);
	cr_expect_str_eq(object->path, fixture.given);
	stop(&fixture);
}

Test(line_resolver, programs_are_found_by_their_own_debug_data)
{
	Fixture fixture;
	uint64_t address = lines_example_number("inlined_function", LINES_EXAMPLE_ADDRESS);
	uint64_t segment = address & ~0xfffULL;

	start(&fixture, "0aaa");
	copy_to(&fixture, LINES_SUBJECT, "usr/bin/worker");
	lines_run_map(&fixture.run, "/usr/bin/worker", fixture.build_id, segment);
	lines_run_user(&fixture.run, LINES_PROGRAM + address - segment);
	cr_expect_eq(update(&fixture)->kind, CODE_OF_PROGRAM);
	cr_expect_eq(update(&fixture)->state, LINES_KNOWN);
	expect_function(&fixture, "b:", 0x1000 + address - segment, "inlined_function");
	stop(&fixture);
}

Test(line_resolver, without_debug_data_nothing_is_found)
{
	Fixture fixture;
	const LinesObject *object;

	start(&fixture, NULL);
	lines_run_kernel(&fixture.run, LINES_TEXT);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_NOT_FOUND);
	cr_expect_null(object->path);
	cr_expect_str_eq(object->build_id, fixture.build_id);
	stop(&fixture);
}

Test(line_resolver, what_is_not_recorded_is_not_sought)
{
	static const LinesState states[] = { LINES_NO_BUILD_ID, LINES_NO_SECTIONS };
	Fixture fixture;

	start(&fixture, NULL);
	copy_to_given(&fixture, LINES_SUBJECT);
	lines_run_text(&fixture.run, KMT_BATCH_MODULES,
		       "anon 65536 0xffffffffc0100000 -\n"
		       "bare 65536 0xffffffffc0200000 0bbb\n");
	lines_run_kernel(&fixture.run, 0xffffffffc0100010);
	lines_run_kernel(&fixture.run, 0xffffffffc0200010);
	update(&fixture);
	cr_assert_eq(line_resolver_count(fixture.resolver), G_N_ELEMENTS(states));
	for (guint i = 0; i < G_N_ELEMENTS(states); i++) {
		const LinesObject *object = line_resolver_object(fixture.resolver, i);

		cr_expect_eq(object->state, states[i], "%s", object->name);
		cr_expect_null(object->path);
	}
	stop(&fixture);
}

Test(line_resolver, a_wrong_file_is_reported_with_its_build_id)
{
	Fixture fixture;
	const LinesObject *object;
	size_t count;

	start(&fixture, "0aaa");
	copy_to_given(&fixture, LINES_SUBJECT);
	lines_run_kernel(&fixture.run, LINES_TEXT);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_WRONG_FILE);
	cr_expect_str_eq(object->path, fixture.given);
	cr_expect_str_eq(object->found_id, fixture.build_id);
	cr_expect_null(line_table_find(fixture.run.session->lines, "k:0aaa", 0, &count));
	stop(&fixture);
}

Test(line_resolver, a_right_file_after_a_wrong_one_counts)
{
	Fixture fixture;
	const LinesObject *object;

	start(&fixture, NULL);
	copy_to_given(&fixture, LINES_SUBJECT_NAMELESS);
	copy_to(&fixture, LINES_SUBJECT, "boot/vmlinux-" RELEASE);
	lines_run_kernel(&fixture.run, LINES_TEXT);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_KNOWN);
	cr_expect(g_str_has_suffix(object->path, "/boot/vmlinux-" RELEASE), "%s", object->path);
	cr_expect_null(object->found_id);
	stop(&fixture);
}

/* It takes no room on the disk. */
Test(line_resolver, a_file_that_is_too_large_is_a_problem)
{
	Fixture fixture;
	const LinesObject *object;

	start(&fixture, NULL);
	copy_to_given(&fixture, LINES_SUBJECT);
	if (truncate(fixture.given, ((off_t)8 << 30) + 1)) {
		stop(&fixture);
		cr_skip_test("this file system has no sparse files");
	}
	lines_run_kernel(&fixture.run, LINES_TEXT);
	object = update(&fixture);
	cr_expect_eq(object->state, LINES_UNREADABLE);
	cr_expect_str_eq(object->path, fixture.given);
	cr_expect_not_null(strstr(object->problem, "8 GB"), "%s", object->problem);
	stop(&fixture);
}

/* A pipe without writers would block. */
Test(line_resolver, what_is_no_regular_file_is_not_opened)
{
	Fixture fixture;

	start(&fixture, NULL);
	cr_assert_eq(mkfifo(fixture.given, 0600), 0);
	lines_run_kernel(&fixture.run, LINES_TEXT);
	cr_expect_neq(update(&fixture)->state, LINES_KNOWN);
	stop(&fixture);
}

Test(line_resolver, a_device_is_not_opened)
{
	Fixture fixture;

	start(&fixture, NULL);
	cr_assert_eq(symlink("/dev/zero", fixture.given), 0);
	lines_run_kernel(&fixture.run, LINES_TEXT);
	cr_expect_neq(update(&fixture)->state, LINES_KNOWN);
	stop(&fixture);
}
