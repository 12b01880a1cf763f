/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/text_writer.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(text_writer);

/* Above what waits and what a pipe takes; texts of a page, so that a pipe of one holds one. */
enum { TEXTS = 200, TEXT_BYTES = 4096, WAITING = 64 };

/* A pipe for stdout, that holds one text. Returns the end to read from. */
static int stdout_to_pipe(void)
{
	int ends[2];

	cr_assert(zero(int, pipe(ends)));
	cr_assert(ge(int, fcntl(ends[1], F_SETPIPE_SZ, TEXT_BYTES), 0));
	cr_assert(eq(int, dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO));
	close(ends[1]);
	return ends[0];
}

static char *text_of(unsigned number)
{
	return g_strdup_printf("%-*u", TEXT_BYTES, number);
}

static void give_all(TextWriter *writer)
{
	for (unsigned i = 0; i < TEXTS; i++)
		text_writer_give(writer, text_of(i));
}

/* Returns how many whole texts come until the other end is closed; they are in order. */
static gpointer read_texts(gpointer data)
{
	int fd = GPOINTER_TO_INT(data);
	char text[TEXT_BYTES + 1] = "";
	int last = -1, number, texts = 0;
	size_t length = 0;
	ssize_t got;

	while ((got = read(fd, text + length, TEXT_BYTES - length)) > 0) {
		length += (size_t)got;
		if (length < TEXT_BYTES)
			continue;
		number = (int)strtol(text, NULL, 10);
		cr_expect(lt(int, last, number));
		last = number;
		texts++;
		length = 0;
	}
	cr_expect(eq(sz, length, 0));
	return GINT_TO_POINTER(texts);
}

/* What was said on stderr meanwhile goes to a file. */
static char *stderr_to_file(const char *folder)
{
	char *path = g_build_filename(folder, "errors", NULL);
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	cr_assert(eq(int, dup2(fd, STDERR_FILENO), STDERR_FILENO));
	close(fd);
	return path;
}

/* Returns the sum of what all lines report: a line comes whenever there is room again. */
static int reported_missing(const char *said)
{
	g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
	int missing = 0;

	for (char **line = lines; *line && **line; line++) {
		const char *number = strstr(*line, ": ");

		cr_assert(number != NULL);
		cr_expect(strstr(number, " tables were not printed: ") != NULL);
		missing += (int)strtol(number + 2, NULL, 10);
	}
	return missing;
}

Test(text_writer, a_reader_who_does_not_read_holds_nobody_up_and_sees_what_is_missing)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	int fd = stdout_to_pipe(), kept = dup(STDERR_FILENO);
	g_autofree char *errors = stderr_to_file(folder);
	TextWriter *writer = text_writer_new(false, "table");
	g_autofree char *said = NULL;
	g_autoptr(GError) error = NULL;
	GThread *reader;
	int texts;

	give_all(writer);
	reader = g_thread_new("reader", read_texts, GINT_TO_POINTER(fd));
	cr_expect(text_writer_finish(writer, &error));
	close(STDOUT_FILENO);
	texts = GPOINTER_TO_INT(g_thread_join(reader));
	dup2(kept, STDERR_FILENO);
	cr_expect(ge(int, texts, WAITING));
	cr_expect(le(int, texts, WAITING + 2));
	said = file_read(errors, NULL);
	cr_expect(eq(int, reported_missing(said), TEXTS - texts));
}

Test(text_writer, of_a_file_all_is_written_however_slow_the_reader_is)
{
	int fd = stdout_to_pipe();
	TextWriter *writer = text_writer_new(true, "table");
	GThread *reader = g_thread_new("reader", read_texts, GINT_TO_POINTER(fd));
	g_autoptr(GError) error = NULL;

	give_all(writer);
	cr_expect(text_writer_finish(writer, &error));
	close(STDOUT_FILENO);
	cr_expect(eq(int, GPOINTER_TO_INT(g_thread_join(reader)), TEXTS));
}

Test(text_writer, a_large_text_is_written_in_pieces)
{
	int fd = stdout_to_pipe();
	TextWriter *writer = text_writer_new(true, "report");
	GThread *reader = g_thread_new("reader", read_texts, GINT_TO_POINTER(fd));
	FILE *stream = text_writer_open(writer);
	g_autoptr(GError) error = NULL;

	for (unsigned i = 0; i < TEXTS; i++) {
		g_autofree char *text = text_of(i);

		cr_expect(eq(int, fputs(text, stream) < 0, 0));
	}
	cr_expect(zero(int, fclose(stream)));
	cr_expect(text_writer_finish(writer, &error));
	close(STDOUT_FILENO);
	cr_expect(eq(int, GPOINTER_TO_INT(g_thread_join(reader)), TEXTS));
}

Test(text_writer, a_text_is_skipped_while_another_one_waits)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	int fd = stdout_to_pipe(), kept = dup(STDERR_FILENO);
	g_autofree char *errors = stderr_to_file(folder);
	TextWriter *writer = text_writer_new(true, "report");
	g_autofree char *said = NULL;
	GThread *reader;

	cr_expect_not(text_writer_skips(writer));
	/* The pipe holds one, the writer another, and the last one waits. */
	for (unsigned i = 0; i < 3; i++)
		text_writer_give(writer, text_of(i));
	cr_expect(text_writer_skips(writer));
	reader = g_thread_new("reader", read_texts, GINT_TO_POINTER(fd));
	cr_expect(text_writer_finish(writer, NULL));
	close(STDOUT_FILENO);
	cr_expect(eq(int, GPOINTER_TO_INT(g_thread_join(reader)), 3));
	dup2(kept, STDERR_FILENO);
	said = file_read(errors, NULL);
	cr_expect(strstr(said, ": 1 reports were not printed: ") != NULL);
}

Test(text_writer, a_reader_who_left_ends_it_without_an_error)
{
	int fd = stdout_to_pipe();
	TextWriter *writer = text_writer_new(false, "table");
	g_autoptr(GError) error = NULL;

	close(fd);
	text_writer_give(writer, text_of(0));
	while (!text_writer_has_ended(writer))
		g_usleep(1000);
	text_writer_give(writer, text_of(1));
	cr_expect(text_writer_finish(writer, &error));
	cr_expect(error == NULL);
}

Test(text_writer, a_full_disk_is_an_error)
{
	int fd = open("/dev/full", O_WRONLY);
	TextWriter *writer;
	g_autoptr(GError) error = NULL;

	cr_assert(eq(int, dup2(fd, STDOUT_FILENO), STDOUT_FILENO));
	close(fd);
	writer = text_writer_new(false, "table");
	text_writer_give(writer, text_of(0));
	cr_expect_not(text_writer_finish(writer, &error));
	cr_assert(error != NULL);
	cr_expect(strstr(error->message, "No space left on device") != NULL);
}
