/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/command.h"

#include "base/clock.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(command);

static int wait_for(const Command *command)
{
	int status = -1;

	cr_assert(eq(int, waitpid(command_child(command), &status, 0), command_child(command)));
	return status;
}

static void expect_words(const char *text, const char *joined)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) argv = command_split(text, &error);
	g_autofree char *got = argv ? g_strjoinv("|", argv) : g_strdup(error->message);

	cr_expect(eq(str, got, (char *)joined), "%s", text);
}

static char *split_error(const char *text)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) argv = command_split(text, &error);

	cr_assert(eq(ptr, argv, NULL), "'%s' was split", text);
	cr_expect(g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE));
	return g_strdup(error->message);
}

Test(command, a_text_is_split_into_words)
{
	expect_words("find /usr/include -type f", "find|/usr/include|-type|f");
	expect_words("  a   b ", "a|b");
	expect_words("a 'b c' \"d e\" f\\ g", "a|b c|d e|f g");
	expect_words("a b~ c#d e=f", "a|b~|c#d|e=f");
}

Test(command, quoted_metacharacters_are_literal)
{
	expect_words("a '|&;<>()$`*?' b", "a||&;<>()$`*?|b");
	expect_words("a \"x|y\" \\* \"$HOME\" '~' 'V=1'", "a|x|y|*|$HOME|~|V=1");
	expect_words("'V=1' a", "V=1|a");
}

Test(command, unquoted_metacharacters_are_a_usage_error_that_shows_the_shell_form)
{
	static const char *const texts[] = {
		"a | b", "a & b", "a; b", "a < b", "a > b", "(a)",       "a )",   "a $HOME",
		"a `b`", "a *.c", "a ?",  "a\nb",  "~/a",   "a ~root/b", "V=1 a", "_x9=1",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *message = split_error(texts[i]);
		g_autofree char *quoted = g_shell_quote(texts[i]);
		g_autofree char *form = g_strconcat("-- sh -c ", quoted, NULL);

		cr_expect(ne(ptr, strstr(message, form), NULL), "%s", message);
	}
}

Test(command, an_unclosed_quote_and_an_empty_text_are_usage_errors)
{
	g_autofree char *unclosed = split_error("a 'b");
	g_autofree char *empty = split_error("  ");

	cr_expect(ne(ptr, strstr(unclosed, "matching quote"), NULL), "%s", unclosed);
	cr_expect(ne(ptr, strstr(empty, "no command"), NULL));
}

Test(command, quoted_words_are_split_into_the_same_words)
{
	char *argv[] = { "a", "b c", "", "it's", "-x=/1,2", NULL };
	g_autofree char *line = command_quote(argv);

	cr_expect(eq(str, line, (char *)"a 'b c' '' 'it'\\''s' -x=/1,2"));
	expect_words(line, "a|b c||it's|-x=/1,2");
}

static void expect_unfindable(const char *program, const char *why)
{
	char *argv[] = { (char *)program, NULL };
	g_autoptr(GError) error = NULL;

	cr_assert(not(command_check(argv, NULL, &error)));
	cr_expect(g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE));
	cr_expect(ne(ptr, strstr(error->message, why), NULL), "%s", error->message);
	cr_expect(eq(ptr, command_hold(argv, NULL, NULL), NULL));
}

Test(command, a_program_that_cannot_be_found_is_a_usage_error)
{
	expect_unfindable("no-such-program-here", "no such program in PATH");
	expect_unfindable("/no/such", "No such file");
	expect_unfindable("/etc", "folder");
	expect_unfindable("/etc/passwd", "not executable");
	expect_unfindable("", "empty");
}

Test(command, an_unknown_user_is_a_usage_error)
{
	char *argv[] = { "true", NULL };
	g_autoptr(GError) error = NULL;

	cr_assert(not(command_check(argv, "no-such-user-here", &error)));
	cr_expect(ne(ptr, strstr(error->message, "no such user"), NULL), "%s", error->message);
}

Test(command, it_runs_only_when_released)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *file = g_build_filename(folder, "ran", NULL);
	char *argv[] = { "touch", file, NULL };
	g_autoptr(Command) command = command_hold(argv, NULL, NULL);
	uint64_t before_ns = clock_monotonic_ns();

	cr_assert(ne(ptr, command, NULL));
	cr_expect(not(g_file_test(file, G_FILE_TEST_EXISTS)));
	cr_expect(eq(u64, command_start_ns(command), 0));
	cr_assert(command_release(command, false, NULL));
	cr_expect(ge(u64, command_start_ns(command), before_ns));
	cr_expect(le(u64, command_start_ns(command), clock_monotonic_ns()));
	cr_expect(eq(int, wait_for(command), 0));
	cr_expect(g_file_test(file, G_FILE_TEST_EXISTS));
}

Test(command, one_that_is_given_up_never_runs_and_leaves_no_child)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *file = g_build_filename(folder, "ran", NULL);
	char *argv[] = { "touch", file, NULL };

	command_free(command_hold(argv, NULL, NULL));
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
	cr_expect(not(g_file_test(file, G_FILE_TEST_EXISTS)));
}

Test(command, its_status_is_its_own)
{
	char *exits[] = { "sh", "-c", "exit 7", NULL };
	char *dies[] = { "sh", "-c", "kill -9 $$", NULL };
	g_autoptr(Command) first = command_hold(exits, NULL, NULL);
	g_autoptr(Command) second = command_hold(dies, NULL, NULL);

	cr_assert(command_release(first, false, NULL));
	cr_assert(command_release(second, false, NULL));
	cr_expect(eq(int, WEXITSTATUS(wait_for(first)), 7));
	cr_expect(eq(int, WTERMSIG(wait_for(second)), SIGKILL));
}

Test(command, a_program_that_cannot_be_executed_is_reported)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *file = g_build_filename(folder, "program", NULL);
	char *argv[] = { file, NULL };
	g_autoptr(Command) command = NULL;
	g_autoptr(GError) error = NULL;

	cr_assert(g_file_set_contents(file, "#!/no/such/interpreter\n", -1, NULL));
	cr_assert(eq(int, chmod(file, 0700), 0));
	command = command_hold(argv, NULL, NULL);
	cr_assert(ne(ptr, command, NULL));
	cr_assert(not(command_release(command, false, &error)));
	cr_expect(ne(ptr, strstr(error->message, "No such file"), NULL), "%s", error->message);
}

Test(command, one_that_was_killed_while_held_is_reported)
{
	char *argv[] = { "true", NULL };
	g_autoptr(Command) command = command_hold(argv, NULL, NULL);
	g_autoptr(GError) error = NULL;

	signal(SIGPIPE, SIG_IGN);
	kill(command_pid(command), SIGKILL);
	cr_assert(not(command_release(command, false, &error)));
	cr_expect(ne(ptr, strstr(error->message, "killed"), NULL), "%s", error->message);
}

Test(command, it_gets_the_default_sigpipe_back)
{
	char *argv[] = { "sh", "-c", "kill -PIPE $$; exit 0", NULL };
	g_autoptr(Command) command = NULL;

	signal(SIGPIPE, SIG_IGN);
	command = command_hold(argv, NULL, NULL);
	cr_assert(command_release(command, false, NULL));
	cr_expect(eq(int, WTERMSIG(wait_for(command)), SIGPIPE));
}

Test(command, another_user_runs_it_with_that_users_groups_and_home)
{
	char *argv[] = { "sh", "-c",
			 "test $(id -un) = nobody && test $(id -ur) = $(id -u) && "
			 "test \"$(id -G)\" = \"$(id -G nobody)\" && "
			 "test $USER = nobody && test $LOGNAME = nobody && "
			 "test $HOME:$SHELL = $(getent passwd nobody | cut -d: -f6,7)",
			 NULL };
	g_autoptr(Command) command = NULL;
	g_autoptr(GError) error = NULL;

	g_setenv("SHELL", "/a/shell/of/root", TRUE);

	if (geteuid()) {
		cr_expect(not(command_check(argv, "nobody", &error)));
		cr_expect(ne(ptr, strstr(error->message, "root"), NULL));
		return;
	}
	command = command_hold(argv, "nobody", &error);
	cr_assert(ne(ptr, command, NULL));
	cr_assert(command_release(command, false, &error));
	cr_expect(eq(int, wait_for(command), 0));
}
