/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/watchdog.h"

#include "collect/run/command.h"
#include "leaks.h"
#include "process.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

TEST_SUITE_WITHOUT_LEAKS(watchdog);

/* A program of its own, which is killed in the end: its folder, where it says what it does, and
   what it does. It runs in a fork. */
typedef struct {
	char *folder;
	pid_t pid;
} Program;

/* Says so, for who waits for it. */
static void say(const char *folder, const char *name, pid_t pid)
{
	g_autofree char *text = g_strdup_printf("%d\n", (int)pid);

	temporary_write(folder, name, text, -1);
}

static Program program_new(void (*begin)(const char *folder))
{
	Program program = { .folder = temporary_folder() };

	temporary_write(program.folder, "a file", "", 0);
	program.pid = fork();
	if (program.pid)
		return program;
	if (!watchdog_start(NULL, NULL))
		_exit(1);
	begin(program.folder);
	say(program.folder, "begun", getpid());
	for (;;)
		pause();
}

static void program_kill(Program *program)
{
	cr_assert(process_wait_for_file(program->folder, "begun"));
	kill(program->pid, SIGKILL);
	waitpid(program->pid, NULL, 0);
}

static void program_clear(Program *program)
{
	temporary_free(program->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Program, program_clear)

static void add(WatchdogKind kind, const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	watchdog_add(&(WatchdogItem){ .kind = kind, .path = path });
}

static void add_file(const char *folder)
{
	add(WATCHDOG_FILE, folder, "a file");
}

Test(watchdog, a_file_of_a_killed_program_goes, .timeout = 60)
{
	g_auto(Program) program = program_new(add_file);

	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "a file"));
}

static void add_folder(const char *folder)
{
	g_autofree char *link_path = g_build_filename(folder, "work/link", NULL);

	temporary_write(folder, "work/deep/er/file", "", 0);
	temporary_write(folder, "elsewhere/file", "", 0);
	(void)!symlink("../elsewhere", link_path);
	add(WATCHDOG_FOLDER, folder, "work");
}

Test(watchdog, a_folder_goes_with_what_is_in_it_and_nothing_else, .timeout = 60)
{
	g_auto(Program) program = program_new(add_folder);

	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "work"));
	cr_expect(process_wait_for_file(program.folder, "elsewhere/file"));
}

/* Two processes, of which neither cares for a polite word. */
static void add_group(const char *folder)
{
	pid_t group = fork();

	if (!group) {
		watchdog_forget();
		signal(SIGTERM, SIG_IGN);
		setpgid(0, 0);
		if (!fork())
			say(folder, "second", getpid());
		for (;;)
			pause();
	}
	setpgid(group, group);
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_GROUP, .group = group });
	say(folder, "first", group);
	process_wait_for_file(folder, "second");
}

Test(watchdog, a_process_group_goes_willing_or_not, .timeout = 60)
{
	g_auto(Program) program = program_new(add_group);

	program_kill(&program);
	cr_expect(process_wait_until_gone(process_read_pid(program.folder, "first")));
	cr_expect(process_wait_until_gone(process_read_pid(program.folder, "second")));
}

/* A staprun that succeeds at the third time, as when somebody still has the module's files open. */
static void add_module(const char *folder)
{
	g_autofree char *script =
		g_strdup_printf("#!/bin/sh\n"
				"echo \"$*\" >>%s/calls\n"
				"[ $(wc -l <%s/calls) -lt 3 ] || rmdir %s/kmt_x\n",
				folder, folder, folder);
	g_autofree char *staprun = g_build_filename(folder, "staprun", NULL);
	g_autofree char *module = g_build_filename(folder, "kmt_x", NULL);

	temporary_write(folder, "staprun", script, -1);
	(void)!chmod(staprun, 0700);
	(void)!mkdir(module, 0700);
	watchdog_add(
		&(WatchdogItem){ .kind = WATCHDOG_MODULE, .path = staprun, .sys_folder = module });
}

Test(watchdog, a_module_is_removed_as_often_as_it_takes, .timeout = 60)
{
	g_auto(Program) program = program_new(add_module);
	g_autofree char *path = g_build_filename(program.folder, "calls", NULL);
	g_autofree char *calls = NULL;

	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "kmt_x"));
	calls = file_read(path, NULL);
	cr_expect(eq(str, calls, (char *)"-d kmt_x\n-d kmt_x\n-d kmt_x\n"));
}

static void add_and_withdraw(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "a file", NULL);

	add_file(folder);
	watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_FILE, .path = path });
	temporary_write(folder, "another", "", 0);
	add(WATCHDOG_FILE, folder, "another");
}

Test(watchdog, what_was_withdrawn_stays, .timeout = 60)
{
	g_auto(Program) program = program_new(add_and_withdraw);

	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "another"));
	cr_expect(process_wait_for_file(program.folder, "a file"));
}

/* The name is another file's by now. */
static void add_and_replace(const char *folder)
{
	add_and_withdraw(folder);
	add_file(folder);
	temporary_write(folder, "a file", "anew", -1);
}

Test(watchdog, another_file_of_that_name_stays, .timeout = 60)
{
	g_auto(Program) program = program_new(add_and_replace);

	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "another"));
	g_usleep(100 * PROCESS_TRY_US);
	cr_expect(process_wait_for_file(program.folder, "a file"));
}

static size_t count_open(pid_t pid, const char *what)
{
	g_autofree char *folder = g_strdup_printf("/proc/%d/fd", (int)pid);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;
	size_t count = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *target = g_file_read_link(path, NULL);

		count += target && strstr(target, what) != NULL;
	}
	return count;
}

/* The one child that the program has. */
static pid_t watchdog_of(const Program *program)
{
	g_autofree char *path =
		g_strdup_printf("/proc/%d/task/%d/children", (int)program->pid, (int)program->pid);
	g_autofree char *children = NULL;

	cr_assert(process_wait_for_file(program->folder, "begun"));
	children = file_read(path, NULL);
	return (pid_t)g_ascii_strtoll(children, NULL, 10);
}

static char *setting_path(const char *folder)
{
	return g_build_filename(folder, "setting", NULL);
}

static void add_setting(const char *folder)
{
	g_autofree char *path = setting_path(folder);

	temporary_write(folder, "setting", "1\n", -1);
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_SETTING, .path = path, .text = "2\n" });
	add_file(folder);
}

Test(watchdog, a_setting_gets_its_text_back, .timeout = 60)
{
	g_auto(Program) program = program_new(add_setting);
	g_autofree char *path = setting_path(program.folder);
	g_autofree char *text = NULL;
	pid_t watchdog = watchdog_of(&program);

	program_kill(&program);
	cr_expect(process_wait_until_gone(watchdog));
	text = file_read(path, NULL);
	cr_expect(eq(str, text, (char *)"2\n"));
}

Test(watchdog, no_signal_but_one_ends_it_early, .timeout = 60)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1 };
	g_auto(Program) program = program_new(add_file);
	pid_t watchdog = watchdog_of(&program);

	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		kill(watchdog, signals[i]);
	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "a file"));
	cr_expect(process_wait_until_gone(watchdog));
}

/* What a program may have open: pipes, files, its terminal. */
static void open_some(const char *folder)
{
	(void)!dup2(open("/dev/zero", O_RDONLY), 42);
	add_file(folder);
}

Test(watchdog, it_holds_nothing_of_the_program, .timeout = 60)
{
	g_auto(Program) program = program_new(open_some);
	pid_t watchdog = watchdog_of(&program);

	/* It may have been forked just now. */
	for (int i = 0; i < PROCESS_TRIES &&
			(count_open(watchdog, "/dev/null") != 3 || count_open(watchdog, "") != 4);
	     i++)
		g_usleep(PROCESS_TRY_US);
	cr_expect(eq(sz, count_open(watchdog, "/dev/null"), 3));
	cr_expect(eq(sz, count_open(watchdog, ""), 4));
	cr_expect(eq(int, getsid(watchdog), watchdog));
	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "a file"));
}

/* A held command is a fork of the program that lives on until it is released or killed. */
static void hold_a_command(const char *folder)
{
	char *argv[] = { (char *)"true", NULL };
	Command *command;

	add_file(folder);
	command = command_hold(argv, NULL, NULL);
	/* Stopped too early, it has not even begun. */
	for (int i = 0; i < PROCESS_TRIES && count_open(command_pid(command), "socket:") >=
						     count_open(getpid(), "socket:");
	     i++)
		g_usleep(PROCESS_TRY_US);
	kill(command_pid(command), SIGSTOP);
	waitpid(command_pid(command), NULL, WUNTRACED);
	say(folder, "command", command_pid(command));
}

Test(watchdog, a_held_command_does_not_stand_for_the_program, .timeout = 60)
{
	g_auto(Program) program = program_new(hold_a_command);

	program_kill(&program);
	cr_expect(process_wait_until_no_file(program.folder, "a file"));
	kill(process_read_pid(program.folder, "command"), SIGKILL);
}

Test(watchdog, a_program_that_ends_in_order_waits_for_it, .timeout = 60)
{
	cr_assert(watchdog_start(NULL, NULL));
	watchdog_end();
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
	watchdog_end();
}

Test(watchdog, a_killed_one_does_not_disturb_the_program, .timeout = 60)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *children = NULL;
	g_autofree char *path =
		g_strdup_printf("/proc/%d/task/%d/children", (int)getpid(), (int)getpid());

	signal(SIGPIPE, SIG_DFL);
	temporary_write(folder, "a file", "", 0);
	cr_assert(watchdog_start(NULL, NULL));
	children = file_read(path, NULL);
	kill((pid_t)g_ascii_strtoll(children, NULL, 10), SIGKILL);
	g_usleep(100 * PROCESS_TRY_US);
	add_file(folder);
	watchdog_end();
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
}
