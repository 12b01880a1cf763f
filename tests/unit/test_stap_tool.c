/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/facts/stap_tool.h"

#include "collect/stap/module_cache.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(stap_tool);

static const char stap_4_8[] =
	"Systemtap translator/driver (version 4.8/0.188, Debian version 4.8-2)\n"
	"Copyright (C) 2005-2022 Red Hat, Inc. and others\n"
	"tested kernel versions: 2.6.32 ... 6.1.0-rc3\n";

Test(stap_tool, stap_prints_its_version)
{
	g_autoptr(StapTool) tool = g_new0(StapTool, 1);

	cr_assert(stap_tool_parse_version(tool, stap_4_8));
	cr_expect_str_eq(tool->version, "4.8/0.188, Debian version 4.8-2");
	cr_expect_str_eq(tool->kernels_tested, "2.6.32 ... 6.1.0-rc3");
	cr_expect(stap_tool_at_least(tool, 4, 8));
	cr_expect(stap_tool_at_least(tool, 3, 9));
	cr_expect_not(stap_tool_at_least(tool, 4, 9));
	cr_expect_not(stap_tool_at_least(tool, 5, 0));
}

Test(stap_tool, another_distributions_version_is_read)
{
	g_autoptr(StapTool) tool = g_new0(StapTool, 1);

	cr_assert(stap_tool_parse_version(
		tool, "Systemtap translator/driver (version 5.10/0.191, rpm 5.10-1.el10)\n"));
	cr_expect_eq(tool->major, 5);
	cr_expect_eq(tool->minor, 10);
	cr_expect_null(tool->kernels_tested);
}

Test(stap_tool, a_text_without_version_is_none)
{
	static const char *const texts[] = {
		"stap: command not found\n", "(version x)\n",     "(version 4)\n", "(version 4.8",
		"(version 1000.0)\n",        "(version 4.1000)\n"
	};

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(StapTool) tool = g_new0(StapTool, 1);

		cr_expect_not(stap_tool_parse_version(tool, texts[i]), "%s", texts[i]);
		cr_expect_null(tool->version, "%s", texts[i]);
	}
}

Test(stap_tool, the_runtime_holds_its_version_as_a_text)
{
	static const char program[] =
		"ELF\0GLIBC_2.34\0Debian version 4.8-2\0004.8\0libc.so.6\0002.\0";
	g_autoptr(StapTool) tool = g_new0(StapTool, 1);

	stap_tool_search_version(tool, program, sizeof(program));
	cr_expect_eq(tool->major, 4);
	cr_expect_eq(tool->minor, 8);
	cr_expect_str_eq(tool->version, "4.8");
}

Test(stap_tool, two_texts_that_look_like_versions_are_none)
{
	static const char program[] = "x\0004.8\0y\0005.1\0";
	g_autoptr(StapTool) tool = g_new0(StapTool, 1);

	stap_tool_search_version(tool, program, sizeof(program));
	cr_expect_eq(tool->major, 0);
	cr_expect_eq(tool->minor, 0);
}

Test(stap_tool, a_missing_one_is_named_with_its_package)
{
	static const char *const nowhere[] = { "/nonexistent", NULL };
	g_autoptr(GError) compiler = NULL;
	g_autoptr(GError) runtime = NULL;

	cr_expect_null(stap_tool_find_in(nowhere, true, &compiler));
	cr_expect(strstr(compiler->message, "systemtap") != NULL, "%s", compiler->message);
	cr_expect_null(stap_tool_find_in(nowhere, false, &runtime));
	cr_expect(strstr(runtime->message, "staprun") != NULL, "%s", runtime->message);
}

Test(stap_tool, root_never_runs_what_others_can_write)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "stap", NULL);
	const char *folders[] = { folder, NULL };
	g_autoptr(GError) error = NULL;

	if (geteuid() != 0)
		cr_skip("only root is refused");
	temporary_write(folder, "stap", "#!/bin/sh\n", -1);
	g_chmod(path, 0755);
	g_chmod(folder, 0777);
	cr_expect_null(stap_tool_find_in(folders, true, &error));
	cr_expect(strstr(error->message, "written by others") != NULL, "%s", error->message);
}
