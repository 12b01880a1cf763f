/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/piece_names.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(piece_names);

enum { ANOTHER_USER = 12345 };

static void create(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	cr_assert(g_file_set_contents(path, "", 0, NULL));
}

/* Returns the name of the next piece of FOLDER/r.kmr; NULL: there is none. */
static char *next_of(PieceNames *names, GError **error)
{
	g_autofree char *path = piece_names_next(names, error);

	return path ? g_path_get_basename(path) : NULL;
}

static PieceNames *names_in(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "r.kmr", NULL);

	return piece_names_new(path, NULL);
}

Test(piece_names, no_piece_has_a_number_that_a_later_run_does_not_know)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autoptr(PieceNames) names = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *last = NULL;

	create(folder, "r.9999998.kmr");
	names = names_in(folder);
	last = next_of(names, &error);
	cr_expect(eq(str, last, "r.9999999.kmr"));
	cr_expect(eq(ptr, next_of(names, &error), NULL));
	cr_assert(ne(ptr, error, NULL));
	cr_expect(ne(ptr, strstr(error->message, "no number is left"), NULL));
}

Test(piece_names, files_of_others_are_neither_pieces_nor_replaced)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *planted = g_build_filename(folder, "r.9999999.kmr", NULL);
	g_autofree char *next = g_build_filename(folder, "r.000003.kmr", NULL);
	g_autofree char *got = NULL;
	g_autoptr(PieceNames) names = NULL;
	g_autoptr(GPtrArray) outdated = NULL;

	if (geteuid())
		cr_skip_test("only root can create files of others");
	create(folder, "r.000002.kmr");
	create(folder, "r.000003.kmr");
	create(folder, "r.9999999.kmr");
	cr_assert(zero(int, chown(planted, ANOTHER_USER, ANOTHER_USER)));
	cr_assert(zero(int, chown(next, ANOTHER_USER, ANOTHER_USER)));
	names = names_in(folder);
	got = next_of(names, NULL);
	cr_expect(eq(str, got, "r.000004.kmr"));
	outdated = piece_names_outdated(names, 0);
	cr_expect(eq(u32, outdated->len, 2));
}
