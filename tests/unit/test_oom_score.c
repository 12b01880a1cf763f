/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/run_memory.h"

#include "collect/run/command.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <sys/wait.h>

TEST_SUITE_WITHOUT_LEAKS(oom_score);

static const char path[] = "/proc/self/oom_score_adj";

static int own_score(void)
{
	g_autofree char *text = NULL;

	text = file_read(path, NULL);
	return (int)g_ascii_strtoll(text, NULL, 10);
}

/* What the raised score must not be taken for. Not beyond what any process may do. */
static int set_score_before(void)
{
	int score = MIN(own_score() + 7, 999);
	g_autofree char *text = g_strdup_printf("%d", score);
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	fputs(text, file);
	cr_assert(eq(int, fclose(file), 0));
	return score;
}

/* Runs a command that exits with 0 when its score is the one expected. */
static int score_as_expected(int expected, const char *user)
{
	g_autofree char *script =
		g_strdup_printf("test $(cat /proc/self/oom_score_adj) = %d", expected);
	char *argv[] = { "sh", "-c", script, NULL };
	g_autoptr(Command) command = command_hold(argv, user, NULL);
	int status = -1;

	cr_assert(ne(ptr, command, NULL));
	cr_assert(command_release(command, false, NULL));
	cr_assert(eq(int, waitpid(command_child(command), &status, 0), command_child(command)));
	return status;
}

Test(oom_score, ours_is_the_highest_and_the_command_has_the_one_before)
{
	int before = set_score_before();

	cr_assert(oom_score_raise());
	cr_expect(eq(int, own_score(), 1000));
	cr_expect(eq(int, score_as_expected(before, NULL), 0));
	/* Raised twice it is not forgotten. */
	cr_assert(oom_score_raise());
	cr_expect(eq(int, score_as_expected(before, NULL), 0));
	cr_expect(eq(int, own_score(), 1000));
}

Test(oom_score, the_command_of_another_user_has_the_one_before)
{
	int before = set_score_before();

	cr_assert(oom_score_raise());
	if (!geteuid())
		cr_expect(eq(int, score_as_expected(before, "nobody"), 0));
}

Test(oom_score, what_was_not_raised_is_left_alone)
{
	int before = set_score_before();

	oom_score_restore();
	cr_expect(eq(int, own_score(), before));
	cr_expect(eq(int, score_as_expected(before, NULL), 0));
}
