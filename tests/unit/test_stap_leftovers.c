/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap/stap_start.h"

#include "fake_host.h"
#include "leaks.h"
#include "process.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

TEST_SUITE_WITHOUT_LEAKS(stap_leftovers);

static void expect_names(const GPtrArray *names, const char *wanted)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(list, "%s ", (const char *)g_ptr_array_index(names, i));
	cr_expect_str_eq(list->str, wanted);
}

Test(stap_leftovers, only_probe_modules_that_nobody_reads_are_left_over)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *sys_folder = g_build_filename(root, "sys", NULL);
	g_autoptr(StapLeftovers) left = NULL;

	fake_host_load_module(root, "kmt_2", "0\n", true);
	fake_host_load_module(root, "any_name", "0\n", true);
	fake_host_load_module(root, "kmt_live", "1\n", true);
	fake_host_load_module(root, "kmt_uncounted", NULL, true);
	fake_host_load_module(root, "kmt_of_others", "0\n", false);
	fake_host_load_module(root, "ext4", "0\n", false);
	left = stap_leftovers_find(sys_folder, NULL);
	expect_names(left->modules, "any_name kmt_2 ");
	expect_names(left->live_modules, "kmt_live kmt_uncounted ");
	expect_names(left->work_folders, "");
}

/* It has let go of its module and will remove it. */
Test(stap_leftovers, a_module_with_a_process_is_live, .timeout = 60)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *sys_folder = g_build_filename(root, "sys", NULL);
	g_autoptr(StapLeftovers) left = NULL;
	pid_t pid;

	/* Not a name of the other tests, which run at the same time. */
	fake_host_load_module(root, "kmt_ends", "0\n", true);
	fake_host_load_module(root, "kmt_ended", "0\n", true);
	pid = fork();

	if (!pid) {
		/* staprun's process, whose name and words are those of its script. */
		g_autofree char *path = fake_host_add_program(root, "staprun-d",
							      "#!/bin/sh\ntouch $1; read x <$2\n");

		_exit(chdir(root) || mkfifo("fifo", 0600) ||
		      execl(path, path, "ready", "fifo", "kmt_ends", NULL));
	}
	cr_assert(process_wait_for_file(root, "ready"));
	left = stap_leftovers_find(sys_folder, NULL);
	expect_names(left->modules, "kmt_ended ");
	expect_names(left->live_modules, "kmt_ends ");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(stap_leftovers, a_host_without_modules_has_none)
{
	g_autoptr(StapLeftovers) left = stap_leftovers_find("/nonexistent", NULL);

	expect_names(left->modules, "");
	expect_names(left->live_modules, "");
}

Test(stap_leftovers, work_folders_of_the_living_are_not_left_over)
{
	g_autoptr(TemporaryFolder) top = temporary_folder();
	g_autofree char *folder = g_build_filename(top, "cache", NULL);
	g_autofree char *dead = g_build_filename(folder, "work-2147483646-abcdef", NULL);
	g_autofree char *wanted = g_strconcat(dead, " ", NULL);
	g_autoptr(ModuleCache) cache = module_cache_open(folder, NULL);
	g_autofree char *live = module_cache_make_folder(cache, NULL);
	g_autoptr(StapLeftovers) left = NULL;

	cr_assert_eq(g_mkdir(dead, 0700), 0);
	left = stap_leftovers_find("/nonexistent", cache);
	expect_names(left->work_folders, wanted);
	cr_expect(g_file_test(dead, G_FILE_TEST_IS_DIR));
}
