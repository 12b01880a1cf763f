/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/lines/lines_child.h"

#include "code/elf/elf_file.h"
#include "leaks.h"
#include "lines_example.h"
#include "process.h"
#include "symbols/line_table.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(lines_child);

#define KEY "b:1"

enum { PLENTY = 1 << 20 };

/* A request for one place, and what became of it. */
typedef struct {
	GArray *places; /* (element-type LinesPlace), owned */
	LinesRequest request;
	LinesJob job;
	GString *lines; /* owned */
	LinesOutcome outcome;
} Fixture;

static void fixture_init(Fixture *fixture, CodeKind kind, LinesPlace place)
{
	*fixture = (Fixture){ .places = g_array_new(FALSE, FALSE, sizeof(LinesPlace)),
			      .lines = g_string_new(NULL) };
	g_array_append_val(fixture->places, place);
	fixture->request = (LinesRequest){ kind, KEY, NULL, fixture->places };
	fixture->job = (LinesJob){ .requests = &fixture->request,
				   .count = 1,
				   .patience_s = LINES_PATIENCE_S };
}

static void fixture_clear(Fixture *fixture)
{
	g_array_unref(fixture->places);
	g_string_free(fixture->lines, TRUE);
	lines_outcome_clear(&fixture->outcome);
}

/* Asks a file, expecting this build id. */
static LinesResult ask(Fixture *fixture, const char *path, const char *build_id)
{
	fixture->job.fd = open(path, O_RDONLY | O_CLOEXEC);
	fixture->job.build_id = build_id;
	cr_assert_geq(fixture->job.fd, 0, "%s", path);
	fixture->outcome = lines_child_read(fixture->lines, &fixture->job);
	close(fixture->job.fd);
	return fixture->outcome.result;
}

/* The same of bytes that are no file yet. */
static LinesResult ask_bytes(Fixture *fixture, const void *bytes, gsize length,
			     const char *build_id)
{
	fixture->job.fd = memfd_create("example", MFD_CLOEXEC);
	fixture->job.build_id = build_id;
	cr_assert_eq(pwrite(fixture->job.fd, bytes, length, 0), (ssize_t)length);
	fixture->outcome = lines_child_read(fixture->lines, &fixture->job);
	close(fixture->job.fd);
	return fixture->outcome.result;
}

static LinesPlace place_of_program(void)
{
	uint64_t address = lines_example_number("inlined_function", LINES_EXAMPLE_ADDRESS);

	return (LinesPlace){ 0x10, address };
}

static void expect_frame(const LineFrame *frame, const char *function)
{
	cr_expect_str_eq(frame->function, function);
	cr_expect_eq(frame->line, lines_example_number(function, LINES_EXAMPLE_LINE), "%s: %u",
		     function, frame->line);
	cr_expect(g_str_has_suffix(frame->file, "lines_subject.c"), "%s", frame->file);
}

static void expect_both_functions(const Fixture *fixture, uint64_t offset)
{
	g_autoptr(LineTable) table = line_table_new(PLENTY);
	const LineFrame *frames;
	size_t count = 0;

	line_table_parse(table, (TextPart){ fixture->lines->str, fixture->lines->len });
	frames = line_table_find(table, KEY, offset, &count);
	cr_assert_eq(count, 2, "%s", fixture->lines->str);
	expect_frame(&frames[0], "inlined_function");
	expect_frame(&frames[1], "outer_function");
}

Test(lines_child, the_right_file_has_the_lines_of_a_program)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
	cr_assert_eq(ask(&fixture, LINES_SUBJECT, build_id), LINES_FOUND);
	expect_both_functions(&fixture, 0x10);
	fixture_clear(&fixture);
}

/* Returns a file's bytes in gzip form; the caller frees them. */
static GByteArray *gzip_file(const char *path)
{
	g_autoptr(GZlibCompressor) gzip = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
	g_autofree char *bytes = NULL;
	GByteArray *packed = g_byte_array_new();
	gsize length, taken, made;

	bytes = file_read(path, &length);
	g_byte_array_set_size(packed, (guint)length);
	cr_assert_eq(g_converter_convert(G_CONVERTER(gzip), bytes, length, packed->data, length,
					 G_CONVERTER_INPUT_AT_END, &taken, &made, NULL),
		     G_CONVERTER_FINISHED);
	g_byte_array_set_size(packed, (guint)made);
	return packed;
}

Test(lines_child, a_compressed_file_has_the_same_lines)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	g_autoptr(GByteArray) packed = gzip_file(LINES_SUBJECT);
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
	cr_assert_eq(ask_bytes(&fixture, packed->data, packed->len, build_id), LINES_FOUND);
	expect_both_functions(&fixture, 0x10);
	fixture_clear(&fixture);
}

Test(lines_child, places_of_a_kernel_are_relative_to_its_start)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	uint64_t address = lines_example_number("inlined_function", LINES_EXAMPLE_ADDRESS);
	uint64_t offset = address - lines_example_number("_stext", LINES_EXAMPLE_ADDRESS);
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_KERNEL, (LinesPlace){ .offset = offset });
	cr_assert_eq(ask(&fixture, LINES_SUBJECT, build_id), LINES_FOUND);
	expect_both_functions(&fixture, offset);
	fixture_clear(&fixture);
}

Test(lines_child, places_outside_a_section_have_no_lines)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	static const char *const sections[] = { ".nosuch", ".text", ".text" };
	static const uint64_t offsets[] = { 0, 1 << 20, UINT64_MAX };

	for (gsize i = 0; i < G_N_ELEMENTS(sections); i++) {
		Fixture fixture;

		fixture_init(&fixture, CODE_OF_MODULE, (LinesPlace){ .offset = offsets[i] });
		fixture.request.section = sections[i];
		cr_expect_eq(ask(&fixture, LINES_SUBJECT, build_id), LINES_FOUND);
		cr_expect_str_eq(fixture.lines->str, "");
		fixture_clear(&fixture);
	}
}

Test(lines_child, a_file_with_another_build_id_has_no_lines)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
	cr_expect_eq(ask(&fixture, LINES_SUBJECT, "0123456789"), LINES_OTHER_FILE);
	cr_expect_str_eq(fixture.outcome.build_id, build_id);
	cr_expect_str_eq(fixture.lines->str, "");
	fixture_clear(&fixture);
}

Test(lines_child, a_file_without_build_id_has_no_lines)
{
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
	cr_expect_eq(ask(&fixture, LINES_SUBJECT_NAMELESS, "0123456789"), LINES_OTHER_FILE);
	cr_expect_null(fixture.outcome.build_id);
	cr_expect_str_eq(fixture.lines->str, "");
	fixture_clear(&fixture);
}

Test(lines_child, a_file_without_debug_data_says_so)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT_STRIPPED);
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
	cr_expect_eq(ask(&fixture, LINES_SUBJECT_STRIPPED, build_id), LINES_NO_DEBUG);
	cr_expect_str_eq(fixture.lines->str, "");
	fixture_clear(&fixture);
}

Test(lines_child, what_is_no_elf_file_has_no_debug_data)
{
	static const char *const texts[] = { "", "no ELF file",
					     "\x7f"
					     "ELF",
					     "\x1f\x8b\x08", "!<arch>\n" };

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		Fixture fixture;

		fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
		cr_expect_eq(ask_bytes(&fixture, texts[i], strlen(texts[i]), "0123"),
			     LINES_NO_DEBUG, "%zu", i);
		fixture_clear(&fixture);
	}
}

/* Its sections were listed at its end. */
Test(lines_child, a_truncated_file_has_no_lines)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	gsize length;
	g_autofree char *bytes = file_read(LINES_SUBJECT, &length);

	for (gsize cut = 1; cut <= 8; cut++) {
		Fixture fixture;

		fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
		cr_expect_neq(ask_bytes(&fixture, bytes, length * cut / 9, build_id), LINES_FOUND,
			      "%zu", cut);
		cr_expect_str_eq(fixture.lines->str, "");
		fixture_clear(&fixture);
	}
}

/* The process crashes where it reads what it was asked for. */
Test(lines_child, a_process_that_crashes_is_a_problem_of_the_file)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	void *nothing =
		mmap(NULL, sizeof(LinesPlace), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	GArray unreadable = { nothing, 1 };
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_PROGRAM, place_of_program());
	fixture.request.places = &unreadable;
	cr_expect_eq(ask(&fixture, LINES_SUBJECT, build_id), LINES_FAILED);
	cr_assert_not_null(fixture.outcome.problem);
	cr_expect(g_str_has_prefix(fixture.outcome.problem, "the process that read it "), "%s",
		  fixture.outcome.problem);
#if !defined(__SANITIZE_ADDRESS__)
	cr_expect_not_null(strstr(fixture.outcome.problem, "signal 11"), "%s",
			   fixture.outcome.problem);
#endif
	cr_expect_str_eq(fixture.lines->str, "");
	munmap(nothing, sizeof(LinesPlace));
	fixture_clear(&fixture);
}

/* A thousand million places: zeros, which take no memory. */
#define ENDLESS ((size_t)1000000000)

/* What is asked before is done: no other child of this process is left. */
static void begin_endlessly(Fixture *fixture, GArray *endless)
{
	void *zeros = mmap(NULL, ENDLESS * sizeof(LinesPlace), PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	cr_assert_neq(zeros, MAP_FAILED);
	*endless = (GArray){ zeros, ENDLESS };
	fixture_init(fixture, CODE_OF_PROGRAM, place_of_program());
	fixture->request.places = endless;
	fixture->job.patience_s = 1;
}

static void expect_no_end(Fixture *fixture, const char *build_id)
{
	cr_expect_eq(ask(fixture, LINES_SUBJECT, build_id), LINES_FAILED);
	cr_assert_not_null(fixture->outcome.problem);
	cr_expect(g_str_has_prefix(fixture->outcome.problem, "reading it took longer than 1 s"),
		  "%s", fixture->outcome.problem);
	cr_expect_str_eq(fixture->lines->str, "");
	munmap(fixture->request.places->data, ENDLESS * sizeof(LinesPlace));
	fixture_clear(fixture);
}

Test(lines_child, a_process_that_takes_too_long_is_ended)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	Fixture fixture;
	GArray endless;

	begin_endlessly(&fixture, &endless);
	expect_no_end(&fixture, build_id);
}

/* Stops the child of this process. Ends without it if that ended before. */
static void *stop_child(void *path)
{
	for (int i = 0; i < PROCESS_TRIES; i++) {
		g_autofree char *text = NULL;

		if (!g_file_get_contents(path, &text, NULL, NULL))
			return NULL;
		if (*text) {
			kill((pid_t)g_ascii_strtoll(text, NULL, 10), SIGSTOP);
			return NULL;
		}
		g_usleep(1000);
	}
	return NULL;
}

/* Its own clock does not end it. */
Test(lines_child, a_process_that_is_stopped_is_ended)
{
	g_autofree char *build_id = lines_example_build_id(LINES_SUBJECT);
	g_autofree char *children = g_strdup_printf("/proc/self/task/%d/children", getpid());
	Fixture fixture;
	GArray endless;
	pthread_t thread;

	begin_endlessly(&fixture, &endless);
	cr_assert_eq(pthread_create(&thread, NULL, stop_child, children), 0);
	expect_no_end(&fixture, build_id);
	pthread_join(thread, NULL);
}

/* Answers. */

typedef struct {
	const char *answer;
	LinesResult result;
	const char *build_id; /* NULL: none */
	const char *lines;
} AnswerCase;

/* Asked for are the places 10 and 20 (hexadecimal) of b:1, of a file 0123. */
static const AnswerCase answers[] = {
	{ "b 0123\nl b:1 10 5 f\t\tx.c\nl b:1 10 6 g\t\tx.c\nl b:1 20 7 h\t\tx.c\n", LINES_FOUND,
	  NULL, "l b:1 10 5 f\t\tx.c\nl b:1 10 6 g\t\tx.c\nl b:1 20 7 h\t\tx.c\n" },
	{ "b 0123\n", LINES_FOUND, NULL, "" },
	{ "b 0123\nl b:1 20 7 h\t\tx.c", LINES_FOUND, NULL, "l b:1 20 7 h\t\tx.c\n" },
	{ "b 0123\nl b:2 10 5 f\t\tx.c\n", LINES_FOUND, NULL, "" },
	{ "b 0123\nl b:1 11 5 f\t\tx.c\n", LINES_FOUND, NULL, "" },
	{ "b 0123\nl b:1 20 5 f\t\tx.c\nl b:1 10 5 f\t\tx.c\n", LINES_FOUND, NULL,
	  "l b:1 20 5 f\t\tx.c\n" },
	{ "b 0123\nx b:1 10 5 f\t\tx.c\n", LINES_FOUND, NULL, "" },
	{ "b 0123\nl b:1 zz 5 f\t\tx.c\n", LINES_FOUND, NULL, "" },
	{ "b 0123\nl b:1\n", LINES_FOUND, NULL, "" },
	{ "b 4567\nl b:1 10 5 f\t\tx.c\n", LINES_OTHER_FILE, "4567", "" },
	{ "b -\nl b:1 10 5 f\t\tx.c\n", LINES_OTHER_FILE, NULL, "" },
	{ "b \033[2J\n", LINES_OTHER_FILE, NULL, "" },
	{ "b\n", LINES_OTHER_FILE, NULL, "" },
	{ "s 4567 /usr/lib/debug/.dwz/x y.debug\n", LINES_REFERS, "4567", "" },
	{ "s 4567\nl b:1 10 5 f\t\tx.c\n", LINES_FAILED, NULL, "" },
	{ "s ../x /x\n", LINES_FAILED, NULL, "" },
	{ "n\nl b:1 10 5 f\t\tx.c\n", LINES_NO_DEBUG, NULL, "" },
	{ "", LINES_FAILED, NULL, "" },
	{ "\n\n", LINES_FAILED, NULL, "" },
	{ "0123\n", LINES_FAILED, NULL, "" },
};

static void expect_answer(const AnswerCase *wanted)
{
	Fixture fixture;

	fixture_init(&fixture, CODE_OF_PROGRAM, (LinesPlace){ .offset = 0x10 });
	g_array_append_val(fixture.places, ((LinesPlace){ .offset = 0x20 }));
	fixture.job.build_id = "0123";
	fixture.outcome = lines_answer_take(
		fixture.lines, (TextPart){ wanted->answer, strlen(wanted->answer) }, &fixture.job);
	cr_expect_eq(fixture.outcome.result, wanted->result, "%s", wanted->answer);
	cr_expect_eq(g_strcmp0(fixture.outcome.build_id, wanted->build_id), 0, "%s: %s",
		     wanted->answer, fixture.outcome.build_id);
	cr_expect_str_eq(fixture.lines->str, wanted->lines, "%s", wanted->answer);
	fixture_clear(&fixture);
}

Test(lines_child, only_what_was_asked_for_counts)
{
	for (gsize i = 0; i < G_N_ELEMENTS(answers); i++)
		expect_answer(&answers[i]);
}
