/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "tools/many_inputs.h"

#include "event_batch.h"
#include "fixtures/temporary.h"
#include "leaks.h"
#include "options/tool_description.h"
#include "record/batch_writer.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(many_inputs);

enum { CPU = 0 };

#define SECOND 1000000000ULL

static const Tool reports = {
	.name = "reports",
	.bit = TOOL_KMALLOC_TOP,
	.events = PROBE_KMALLOC,
	.report = REPORT_STACKS,
};

/* A recording of so many allocations. */
typedef struct {
	const char *host;
	const char *boot_id; /* NULL: unknown */
	uint64_t start_ns;
	unsigned allocations;
	const char *noun; /* of probe points; NULL: of allocations */
	uint64_t lost;    /* events of which nothing arrived */
	bool cut;         /* whether something was lost at its end is not known */
} MadeRun;

static void write_info(GByteArray *stream, const MadeRun *recording)
{
	const InfoField fields[] = {
		{ KMT_FIELD_HOST, 0, recording->host },
		{ KMT_FIELD_RUN_START_NS, recording->start_ns, NULL },
		{ KMT_FIELD_RUN_END_NS, recording->start_ns + SECOND, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
		{ KMT_FIELD_COUNTED_TO_END, 0, NULL }, /* if it is cut */
	};
	const InfoField boot = { KMT_FIELD_BOOT_ID, 0, recording->boot_id };
	const InfoField noun = { KMT_FIELD_POINTS_NOUN, 0, recording->noun };

	batch_write_info(stream, fields, G_N_ELEMENTS(fields) - !recording->cut);
	if (recording->boot_id)
		batch_write_info(stream, &boot, 1);
	if (recording->noun)
		batch_write_info(stream, &noun, 1);
}

static void record(const char *folder, const char *name, const MadeRun *recording)
{
	static const char symbols[] = "ffffffff81000000 T _stext\n"
				      "ffffffff81000200 T __kmalloc\n"
				      "ffffffff81000300 T alpha\n"
				      "ffffffff81001000 T _etext\n";
	static const uint32_t frames[] = { 0x81000210, 0x81000310 };
	g_autoptr(GByteArray) stream = g_byte_array_new();
	EventBatch batch;
	uint16_t origin;

	write_info(stream, recording);
	stream_add_text(stream, KMT_BATCH_SYMBOLS, symbols);
	batch = event_batch_begin(stream, CPU, 0, recording->start_ns);
	event_batch_task(&batch, 10, "sh");
	origin = event_batch_origin(&batch, frames, 2, 60, 64);
	event_batch_allocate(&batch, origin, recording->allocations, KMT_CONTEXT_TASK);
	event_batch_end(&batch, recording->allocations + recording->lost);
	temporary_write(folder, name, stream->data, stream->len);
}

/* Several recordings, and what was read of them. */
typedef struct {
	char *folder;
	Options *options;
	ManyInputs *many;
	GError *error;
} Stage;

static Stage stage_new(void)
{
	return (Stage){ .folder = temporary_folder() };
}

/* Reads these files of the folder, ended by NULL; "": the folder itself. */
static void read_inputs(Stage *stage, const char *const *names)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

	cr_redirect_stderr();
	g_set_prgname("reports");
	g_ptr_array_add(words, g_strdup("reports"));
	for (; *names; names++) {
		g_ptr_array_add(words, g_strdup("-i"));
		g_ptr_array_add(words, g_build_filename(stage->folder, *names, NULL));
	}
	g_ptr_array_add(words, g_strdup("--by=host"));
	g_ptr_array_add(words, NULL);
	stage->options =
		options_parse(&reports, (int)words->len - 1, (char **)words->pdata, &stage->error);
	cr_assert(stage->options != NULL, "%s", stage->error ? stage->error->message : "");
	cr_assert(many_inputs_are_given(&stage->options->input));
	stage->many = many_inputs_read(stage->options, &stage->error);
}

/* Returns what was written to stderr, with "DIR/" instead of the folder; the caller frees it. */
static char *notes(const Stage *stage)
{
	FILE *redirected = cr_get_redirected_stderr();
	g_autoptr(GString) text = g_string_new(NULL);
	g_auto(GStrv) parts = NULL;
	int c;

	fflush(stderr);
	fclose(stderr);
	while ((c = fgetc(redirected)) != EOF)
		g_string_append_c(text, (char)c);
	parts = g_strsplit(text->str, stage->folder, -1);
	return g_strjoinv("DIR", parts);
}

static void stage_clear(Stage *stage)
{
	many_inputs_free(stage->many);
	options_free(stage->options);
	g_clear_error(&stage->error);
	temporary_free(stage->folder);
}

#define OWNED_STAGE __attribute__((cleanup(stage_clear))) Stage

static void expect_read(const Stage *stage, uint32_t recordings, uint32_t not_read,
			uint64_t allocations)
{
	RunCounts counts;

	cr_assert(stage->many != NULL, "%s", stage->error ? stage->error->message : "");
	counts = many_runs_counts(stage->many->runs);
	cr_expect(eq(u32, counts.recordings, recordings));
	cr_expect(eq(u32, counts.not_read, not_read));
	cr_expect(eq(u64, stage->many->view->before.summary.allocations, allocations));
}

static void expect_notes(const Stage *stage, const char *wanted)
{
	g_autofree char *written = notes(stage);

	cr_expect(eq(str, written, (char *)wanted));
}

/* What interrupts a reader. */
typedef struct {
	pthread_t reader;
	const char *pipe;
} Interrupter;

/* A GThreadFunc: waits until the pipe is read. */
static gpointer interrupt(gpointer user_data)
{
	const Interrupter *interrupter = user_data;
	int fd = open(interrupter->pipe, O_WRONLY | O_CLOEXEC);

	pthread_kill(interrupter->reader, SIGINT);
	close(fd);
	return NULL;
}

static const MadeRun db1 = { "db1", "boot a", SECOND, 3, NULL, 0, false };
static const MadeRun db2 = { "db2", "boot b", SECOND, 4, NULL, 0, false };

Test(many_inputs, allocations_of_all_recordings_add_up)
{
	const char *const names[] = { "a.kmr", "b.kmr", NULL };
	OWNED_STAGE stage = stage_new();

	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "b.kmr", &db2);
	read_inputs(&stage, names);
	expect_read(&stage, 2, 0, 7);
	cr_expect(many_inputs_are_complete(stage.many, stage.options));
	expect_notes(&stage, "");
}

Test(many_inputs, a_folder_stands_for_its_recordings)
{
	const char *const names[] = { "", NULL };
	OWNED_STAGE stage = stage_new();

	record(stage.folder, "b.kmr", &db2);
	record(stage.folder, "a.kmr", &db1);
	temporary_write(stage.folder, "notes.txt", "no", 2);
	read_inputs(&stage, names);
	expect_read(&stage, 2, 0, 7);
	cr_expect(eq(str, (char *)run_names_host(stage.many->names, 1), (char *)"db1"));
	expect_notes(&stage, "reports: DIR: 1 other file than *.kmr left out\n");
}

Test(many_inputs, a_pipe_in_a_folder_is_not_waited_for, .timeout = 60)
{
	const char *const names[] = { "", NULL };
	OWNED_STAGE stage = stage_new();
	g_autofree char *pipe = g_build_filename(stage.folder, "a.kmr", NULL);

	cr_assert(eq(int, mkfifo(pipe, 0600), 0));
	record(stage.folder, "b.kmr", &db2);
	read_inputs(&stage, names);
	expect_read(&stage, 1, 0, 4);
	expect_notes(&stage, "reports: DIR: 1 other file than *.kmr left out\n");
}

Test(many_inputs, an_interrupt_leaves_the_recordings_that_were_read, .timeout = 60)
{
	const char *const names[] = { "a.kmr", "pipe.kmr", "b.kmr", "c.kmr", NULL };
	OWNED_STAGE stage = stage_new();
	g_autofree char *pipe = g_build_filename(stage.folder, "pipe.kmr", NULL);
	Interrupter interrupter = { .reader = pthread_self(), .pipe = pipe };
	GThread *thread;

	/* A shell may have started the tests with SIGINT ignored, which a reader leaves so. */
	signal(SIGINT, SIG_DFL);
	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "b.kmr", &db2);
	cr_assert(eq(int, mkfifo(pipe, 0600), 0));
	thread = g_thread_new("interrupt", interrupt, &interrupter);
	read_inputs(&stage, names);
	g_thread_join(thread);
	expect_read(&stage, 1, 3, 3);
	cr_expect_not(many_inputs_are_complete(stage.many, stage.options));
	expect_notes(&stage, "reports: DIR/pipe.kmr: interrupted: left out\n"
			     "reports: interrupted: 2 of 4 recordings are left out\n");
}

Test(many_inputs, the_same_run_counts_once)
{
	const char *const names[] = { "a.kmr", "copy.kmr", "./a.kmr", NULL };
	OWNED_STAGE stage = stage_new();

	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "copy.kmr", &db1);
	read_inputs(&stage, names);
	expect_read(&stage, 1, 0, 3);
	cr_expect(many_inputs_are_complete(stage.many, stage.options));
	expect_notes(&stage, "reports: DIR/copy.kmr: the same run as DIR/a.kmr, left out\n"
			     "reports: DIR/./a.kmr: the same run as DIR/a.kmr, left out\n");
}

Test(many_inputs, without_a_boot_only_the_same_file_is_the_same_run)
{
	const MadeRun nameless = { "db1", NULL, SECOND, 3, NULL, 0, false };
	const char *const names[] = { "a.kmr", "b.kmr", "./a.kmr", NULL };
	OWNED_STAGE stage = stage_new();

	record(stage.folder, "a.kmr", &nameless);
	record(stage.folder, "b.kmr", &nameless);
	read_inputs(&stage, names);
	expect_read(&stage, 2, 0, 6);
	expect_notes(&stage, "reports: DIR/./a.kmr: the same run as DIR/a.kmr, left out\n");
}

Test(many_inputs, two_runs_of_a_boot_and_two_pieces_of_a_run_both_count)
{
	const MadeRun later = { "db1", "boot a", 5 * SECOND, 3, NULL, 0, false };
	const MadeRun piece = { "db1", "boot a", SECOND, 2, NULL, 0, false };
	const char *const names[] = { "a.kmr", "b.kmr", "c.kmr", NULL };
	OWNED_STAGE stage = stage_new();

	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "b.kmr", &later);
	record(stage.folder, "c.kmr", &piece);
	read_inputs(&stage, names);
	expect_read(&stage, 3, 0, 8);
	cr_expect(eq(u32, run_names_hosts(stage.many->names), 1));
}

Test(many_inputs, a_file_that_cannot_be_read_is_left_out_and_the_result_is_incomplete)
{
	const char *const names[] = { "none.kmr", "a.kmr", "junk.kmr", "b.kmr", NULL };
	OWNED_STAGE stage = stage_new();
	g_autofree char *written = NULL;

	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "b.kmr", &db2);
	temporary_write(stage.folder, "junk.kmr", "junk", 4);
	read_inputs(&stage, names);
	expect_read(&stage, 2, 2, 7);
	cr_expect_not(many_inputs_are_complete(stage.many, stage.options));
	written = notes(&stage);
	cr_expect(strstr(written, "reports: DIR/none.kmr: ") == written, "%s", written);
	cr_expect(strstr(written, "reports: DIR/junk.kmr: ") != NULL, "%s", written);
}

Test(many_inputs, recordings_that_are_not_complete_are_named_but_not_hundreds_of_them)
{
	enum { MANY = 12 };
	const char *const names[] = { "", NULL };
	OWNED_STAGE stage = stage_new();
	g_autofree char *written = NULL;

	record(stage.folder, "whole.kmr", &db1);
	for (unsigned i = 0; i < MANY; i++) {
		const MadeRun cut = { "db2", "boot b", (i + 1) * SECOND, 4, NULL, 0, true };
		g_autofree char *name = g_strdup_printf("cut-%02u.kmr", i);

		record(stage.folder, name, &cut);
	}
	read_inputs(&stage, names);
	expect_read(&stage, MANY + 1, 0, 3 + 4 * MANY);
	cr_expect_not(many_inputs_are_complete(stage.many, stage.options));
	written = notes(&stage);
	cr_expect(g_str_has_prefix(written, "reports: DIR/cut-00.kmr: not complete: its end is "
					    "missing\n"),
		  "%s", written);
	cr_expect(strstr(written, "DIR/cut-09.kmr") != NULL, "%s", written);
	cr_expect(g_str_has_suffix(written, "cut-09.kmr: not complete: its end is missing\n"
					    "reports: 2 more recordings are not complete\n"),
		  "%s", written);
}

Test(many_inputs, a_piece_of_a_folder_that_is_not_finished_is_named)
{
	const char *const names[] = { "", NULL };
	OWNED_STAGE stage = stage_new();

	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "b.kmr.part", &db2);
	read_inputs(&stage, names);
	expect_read(&stage, 1, 0, 3);
	expect_notes(&stage,
		     "reports: DIR/b.kmr.part: left out, a run writes it or was killed: use "
		     "-i DIR/b.kmr.part to read it, too\n");
}

Test(many_inputs, no_usable_recording_is_an_error)
{
	const char *const names[] = { "none.kmr", "nor.kmr", NULL };
	OWNED_STAGE stage = stage_new();

	read_inputs(&stage, names);
	cr_expect(eq(ptr, stage.many, NULL));
	cr_assert(stage.error != NULL);
	cr_expect(eq(str, stage.error->message, (char *)"none of the 2 recordings could be used"));
}

Test(many_inputs, an_empty_folder_is_an_error)
{
	const char *const names[] = { "", NULL };
	OWNED_STAGE stage = stage_new();

	read_inputs(&stage, names);
	cr_expect(eq(ptr, stage.many, NULL));
	cr_assert(stage.error != NULL);
	cr_expect(strstr(stage.error->message, "no recordings (*.kmr) in it") != NULL);
}

Test(many_inputs, recordings_of_another_kind_than_the_first_are_left_out)
{
	const MadeRun hits = { "db3", "boot c", SECOND, 9, "hit", 0, false };
	const char *const names[] = { "a.kmr", "hits.kmr", "b.kmr", NULL };
	OWNED_STAGE stage = stage_new();

	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "hits.kmr", &hits);
	record(stage.folder, "b.kmr", &db2);
	read_inputs(&stage, names);
	expect_read(&stage, 2, 1, 7);
	cr_expect_not(many_inputs_are_complete(stage.many, stage.options));
}

Test(many_inputs, a_loss_in_one_recording_is_a_loss_of_all)
{
	const MadeRun lossy = { "db2", "boot b", SECOND, 4, NULL, 3, false };
	const char *const names[] = { "a.kmr", "b.kmr", NULL };
	OWNED_STAGE stage = stage_new();
	g_autoptr(Facts) facts = NULL;

	record(stage.folder, "a.kmr", &db1);
	record(stage.folder, "b.kmr", &lossy);
	read_inputs(&stage, names);
	expect_read(&stage, 2, 0, 7);
	facts = many_runs_facts(stage.many->runs);
	cr_expect(eq(u64, fact_range(facts, FACT_LOST).low, 3));
	stage.options->loss_percent_max = 31;
	cr_expect(many_inputs_are_complete(stage.many, stage.options));
	stage.options->loss_percent_max = 29;
	cr_expect_not(many_inputs_are_complete(stage.many, stage.options));
	expect_notes(&stage, "reports: over 1 % of the events of all recordings were lost\n"
			     "reports: over 1 % of the events of all recordings were lost\n");
}
