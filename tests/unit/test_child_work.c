/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/process/child_work.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(child_work);

static void expect_text(GBytes *bytes, const char *text)
{
	gsize length;
	const char *found;

	cr_assert_not_null(bytes);
	found = g_bytes_get_data(bytes, &length);
	cr_expect_eq(length, strlen(text));
	cr_expect(!memcmp(found, text, length));
	g_bytes_unref(bytes);
}

static GBytes *double_number(gpointer user_data)
{
	int *number = user_data;
	g_autofree char *text = NULL;

	*number *= 2;
	text = g_strdup_printf("%d", *number);
	return g_bytes_new(text, strlen(text));
}

Test(child_work, the_result_comes_back_and_nothing_else_changes)
{
	int number = 21;
	ChildWork *work = child_work_start(double_number, &number);

	cr_assert_not_null(work);
	expect_text(child_work_finish(work), "42");
	cr_expect_eq(number, 21);
}

static GBytes *wait_for_ever(gpointer user_data)
{
	(void)user_data;
	for (;;)
		pause();
}

Test(child_work, a_work_that_goes_on_is_not_over)
{
	ChildWork *work = child_work_start(wait_for_ever, NULL);

	cr_assert_not_null(work);
	cr_expect_not(child_work_is_over(work));
	child_work_cancel(work);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "no process is left");
}

Test(child_work, a_work_that_is_over_can_still_be_finished)
{
	int number = 1;
	ChildWork *work = child_work_start(double_number, &number);

	cr_assert_not_null(work);
	while (!child_work_is_over(work))
		g_usleep(1000);
	expect_text(child_work_finish(work), "2");
}

static GBytes *end_by_signal(gpointer user_data)
{
	(void)user_data;
	raise(SIGKILL);
	return NULL;
}

Test(child_work, a_process_that_is_ended_has_no_result)
{
	ChildWork *work = child_work_start(end_by_signal, NULL);

	cr_assert_not_null(work);
	cr_expect_null(child_work_finish(work));
}

static GBytes *return_too_much(gpointer user_data)
{
	(void)user_data;
	return g_bytes_new_take(g_malloc0(CHILD_WORK_BYTES_MAX + 1), CHILD_WORK_BYTES_MAX + 1);
}

Test(child_work, a_result_that_is_too_large_is_none)
{
	ChildWork *work = child_work_start(return_too_much, NULL);

	cr_assert_not_null(work);
	cr_expect_null(child_work_finish(work));
}

/* Else a perf event that a killed run leaves open would go on. */
static GBytes *look_for_file(gpointer user_data)
{
	int fd = *(int *)user_data;

	return g_bytes_new(fcntl(fd, F_GETFD) < 0 ? "closed" : "open",
			   fcntl(fd, F_GETFD) < 0 ? 6 : 4);
}

Test(child_work, what_the_program_has_open_is_closed)
{
	int fd = open("/dev/null", O_RDONLY);
	ChildWork *work;

	/* Above the numbers of what stays open. */
	fd = fcntl(fd, F_DUPFD, 50);
	work = child_work_start(look_for_file, &fd);
	cr_assert_not_null(work);
	expect_text(child_work_finish(work), "closed");
}
