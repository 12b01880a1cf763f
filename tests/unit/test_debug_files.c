/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/lines/debug_files.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

TEST_SUITE_WITHOUT_LEAKS(debug_files);

#define RELEASE "6.1.0-50-amd64"
#define ID "ab12cd34"
#define BY_ID "/.build-id/ab/12cd34.debug"
#define SYSTEM "usr/lib/debug"

static const DebugFileWanted kernel = { CODE_OF_KERNEL, "kernel", ID };
static const DebugFileWanted module = { CODE_OF_MODULE, "snd_hda_intel", ID };
static const DebugFileWanted program = { CODE_OF_PROGRAM, "/usr/bin/worker", ID };

/* Expects these paths, separated by spaces, below the folder that is the host's root, or has the
   folder "given" that is searched first. */
static void expect_found_in(const char *root, const char *release, const DebugFileWanted *wanted,
			    const char *paths)
{
	g_autofree char *given = g_build_filename(root, "given", NULL);
	const char *const folders[] = { given, NULL };
	g_autoptr(DebugFiles) files = debug_files_new(folders, release, root);
	g_auto(GStrv) found = debug_files_find(files, wanted);
	g_autoptr(GString) text = g_string_new(NULL);

	for (char **path = found; *path; path++) {
		cr_assert(g_str_has_prefix(*path, root), "%s", *path);
		g_string_append_printf(text, "%s%s", path == found ? "" : " ",
				       *path + strlen(root) + 1);
	}
	cr_expect_str_eq(text->str, paths, "\nfound    %s\nexpected %s", text->str, paths);
}

/* The same of a host that has these files. */
static void expect_found(const char *const *names, const DebugFileWanted *wanted, const char *paths)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();

	for (; *names; names++)
		temporary_write(root, *names, "", 0);
	expect_found_in(root, RELEASE, wanted, paths);
}

#define FILES(...) ((const char *const[]){ __VA_ARGS__, NULL })

Test(debug_files, given_folders_come_before_those_of_the_system)
{
	expect_found(FILES(SYSTEM BY_ID, "given/deep/vmlinux-" RELEASE, "given/usr/lib/debug" BY_ID,
			   "given" BY_ID, SYSTEM "/boot/vmlinux-" RELEASE),
		     &kernel,
		     "given" BY_ID " given/usr/lib/debug" BY_ID " given/deep/vmlinux-" RELEASE
		     " " SYSTEM BY_ID " " SYSTEM "/boot/vmlinux-" RELEASE);
}

Test(debug_files, a_kernel_is_where_distributions_have_it)
{
	expect_found(FILES("boot/vmlinux-" RELEASE, "lib/modules/" RELEASE "/vmlinux",
			   "lib/modules/" RELEASE "/build/vmlinux", SYSTEM "/boot/vmlinux-" RELEASE,
			   SYSTEM "/usr/lib/modules/" RELEASE "/vmlinux",
			   SYSTEM "/lib/modules/" RELEASE "/vmlinux", "boot/vmlinux-6.1.0-49",
			   "boot/vmlinuz-" RELEASE),
		     &kernel,
		     SYSTEM "/lib/modules/" RELEASE "/vmlinux " SYSTEM "/usr/lib/modules/" RELEASE
			    "/vmlinux " SYSTEM "/boot/vmlinux-" RELEASE " lib/modules/" RELEASE
			    "/build/vmlinux lib/modules/" RELEASE "/vmlinux boot/vmlinux-" RELEASE);
}

/* Names of modules have '_' where those of files may have '-'. */
Test(debug_files, a_module_is_found_by_its_name)
{
	static const char *const names[] = {
		"snd_hda_intel.ko",       "snd-hda-intel.ko",           "snd-hda_intel.ko.xz",
		"snd-hda-intel.ko.zst",   "snd-hda-intel.ko.gz",        "snd-hda-intel.ko.debug",
		"snd-hda-intel.ko.debug", "snd-hda-intel.ko.debug.zst",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_strconcat("lib/modules/" RELEASE "/kernel/sound/pci/hda/",
						    names[i], NULL);

		expect_found(FILES(path, "lib/modules/" RELEASE "/kernel/snd-hda.ko",
				   "lib/modules/6.1.0-49/" ID ".ko"),
			     &module, path);
	}
}

Test(debug_files, debug_files_of_modules_come_first)
{
	expect_found(FILES("lib/modules/" RELEASE "/snd-hda-intel.ko",
			   SYSTEM "/lib/modules/" RELEASE "/b/snd-hda-intel.ko.debug",
			   SYSTEM "/lib/modules/" RELEASE "/a/snd-hda-intel.ko",
			   "given/snd-hda-intel.ko.xz"),
		     &module,
		     "given/snd-hda-intel.ko.xz " SYSTEM "/lib/modules/" RELEASE
		     "/a/snd-hda-intel.ko " SYSTEM "/lib/modules/" RELEASE
		     "/b/snd-hda-intel.ko.debug lib/modules/" RELEASE "/snd-hda-intel.ko");
}

Test(debug_files, a_program_may_have_its_own_debug_data)
{
	expect_found(FILES("usr/bin/worker", SYSTEM "/usr/bin/worker", SYSTEM BY_ID,
			   SYSTEM "/usr/bin/worker.debug", "given/x/worker.debug",
			   "lib/modules/" RELEASE "/worker.ko"),
		     &program,
		     "given/x/worker.debug " SYSTEM BY_ID " " SYSTEM "/usr/bin/worker.debug " SYSTEM
		     "/usr/bin/worker usr/bin/worker");
}

Test(debug_files, a_given_file_is_taken_as_it_is)
{
	expect_found(FILES("given", "boot/vmlinux-" RELEASE), &kernel,
		     "given boot/vmlinux-" RELEASE);
}

Test(debug_files, what_is_no_regular_file_is_left_out)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autofree char *pipe = g_build_filename(root, "given", NULL);
	g_autofree char *folder = g_build_filename(root, "boot/vmlinux-" RELEASE, NULL);

	cr_assert_eq(mkfifo(pipe, 0600), 0);
	cr_assert_eq(g_mkdir_with_parents(folder, 0700), 0);
	expect_found_in(root, RELEASE, &kernel, "");
}

Test(debug_files, links_inside_a_folder_are_not_followed)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autofree char *circle = g_build_filename(root, "given/here/again", NULL);
	g_autofree char *link = g_build_filename(root, "given/snd-hda-intel.ko", NULL);
	g_autofree char *outside = g_build_filename(root, "given/outside", NULL);

	temporary_write(root, "given/here/snd_hda_intel.ko", "", 0);
	temporary_write(root, "elsewhere/snd_hda_intel.ko", "", 0);
	cr_assert_eq(symlink("..", circle), 0);
	cr_assert_eq(symlink("../elsewhere/snd_hda_intel.ko", link), 0);
	cr_assert_eq(symlink("../elsewhere", outside), 0);
	expect_found_in(root, RELEASE, &module, "given/here/snd_hda_intel.ko");
}

/* Root may read them all. */
Test(debug_files, a_folder_that_cannot_be_read_is_empty)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autofree char *closed = g_build_filename(root, "given/closed", NULL);

	temporary_write(root, "given/closed/snd-hda-intel.ko", "", 0);
	temporary_write(root, "given/open/snd-hda-intel.ko", "", 0);
	cr_assert_eq(chmod(closed, 0), 0);
	expect_found_in(root, RELEASE, &module,
			geteuid() ? "given/open/snd-hda-intel.ko"
				  : "given/closed/snd-hda-intel.ko given/open/snd-hda-intel.ko");
	chmod(closed, 0700);
}

Test(debug_files, a_recorded_release_leads_nowhere_else)
{
	static const char *const releases[] = { "../x", "", ".", "..", "/x", "6.1/../../x" };
	g_autoptr(TemporaryFolder) root = temporary_folder();

	temporary_write(root, "lib/x/vmlinux", "", 0);
	temporary_write(root, "lib/vmlinux", "", 0);
	temporary_write(root, "lib/modules/vmlinux", "", 0);
	temporary_write(root, "lib/modules/x/snd_hda_intel.ko", "", 0);
	temporary_write(root, "lib/modules/6.1/x", "", 0);
	for (gsize i = 0; i < G_N_ELEMENTS(releases); i++) {
		expect_found_in(root, releases[i], &kernel, "");
		expect_found_in(root, releases[i], &module, "");
	}
	expect_found_in(root, NULL, &kernel, "");
}

Test(debug_files, a_recorded_build_id_leads_nowhere_else)
{
	static const char *const ids[] = {
		"ab/../../../secret", "ab../secret", "..", "", "ab", "AB12", "ab12cd34/"
	};
	g_autoptr(TemporaryFolder) root = temporary_folder();

	temporary_write(root, SYSTEM "/.build-id/ab/x", "", 0);
	temporary_write(root, SYSTEM "/.build-id/ab/.debug", "", 0);
	temporary_write(root, SYSTEM "/.build-id/AB/12.debug", "", 0);
	temporary_write(root, SYSTEM "/secret.debug", "", 0);
	temporary_write(root, SYSTEM "/.build-id/secret.debug", "", 0);
	for (gsize i = 0; i < G_N_ELEMENTS(ids); i++)
		expect_found_in(root, RELEASE,
				&(DebugFileWanted){ CODE_OF_KERNEL, "kernel", ids[i] }, "");
}

Test(debug_files, a_recorded_path_leads_nowhere_else)
{
	static const char *const paths[] = { "/usr/../secret", "/../secret", "secret", "../secret",
					     "/usr/..",        "[vdso]",     "//anon", "" };
	g_autoptr(TemporaryFolder) root = temporary_folder();

	temporary_write(root, "secret", "", 0);
	temporary_write(root, SYSTEM "/secret", "", 0);
	temporary_write(root, SYSTEM "/x", "", 0);
	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++)
		expect_found_in(root, RELEASE, &(DebugFileWanted){ CODE_OF_PROGRAM, paths[i], ID },
				"");
}

/* Expects these paths below the root, which is also the folder that is given. */
static void expect_supplements(const char *root, const char *name, const char *build_id,
			       const char *paths)
{
	const char *const folders[] = { root, NULL };
	g_autoptr(DebugFiles) files = debug_files_new(folders, RELEASE, root);
	g_autofree char *debug_file = g_build_filename(root, "here/x.debug", NULL);
	g_auto(GStrv) found = debug_files_find_supplement(files, debug_file, name, build_id);
	g_autoptr(GString) text = g_string_new(NULL);

	for (char **path = found; *path; path++)
		g_string_append_printf(text, "%s%s", path == found ? "" : " ",
				       *path + strlen(root) + 1);
	cr_expect_str_eq(text->str, paths, "%s: %s", name, text->str);
}

Test(debug_files, what_a_debug_file_refers_to_is_among_debug_files)
{
	static const char *const names[] = { "..", "/", "", "/.dwz/", "/.dwz/." };
	static const char *const leading_up[] = { "/.dwz/../../secret", "/x/.dwz/../secret",
						  "../../secret" };
	g_autoptr(TemporaryFolder) root = temporary_folder();

	temporary_write(root, "secret", "", 0);
	temporary_write(root, SYSTEM "/secret", "", 0);
	temporary_write(root, SYSTEM "/.dwz/arch/bash.debug", "", 0);
	temporary_write(root, SYSTEM BY_ID, "", 0);
	temporary_write(root, "here/bash.debug", "", 0);
	expect_supplements(root, "/usr/lib/debug/.dwz/arch/bash.debug", "ff00",
			   SYSTEM "/.dwz/arch/bash.debug " SYSTEM
				  "/.dwz/arch/bash.debug here/bash.debug");
	expect_supplements(root, "../x/bash.debug", ID,
			   SYSTEM BY_ID " " SYSTEM BY_ID " here/bash.debug");
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		expect_supplements(root, names[i], "../../secret", "");
	for (gsize i = 0; i < G_N_ELEMENTS(leading_up); i++)
		expect_supplements(root, leading_up[i], "../../secret", "here/secret");
}

Test(debug_files, a_folder_is_read_once)
{
	g_autoptr(TemporaryFolder) root = temporary_folder();
	g_autofree char *given = g_build_filename(root, "given", NULL);
	const char *const folders[] = { given, NULL };
	g_autoptr(DebugFiles) files = debug_files_new(folders, RELEASE, root);
	g_auto(GStrv) before = NULL;
	g_auto(GStrv) after = NULL;

	temporary_write(root, "given/snd-hda-intel.ko", "", 0);
	before = debug_files_find(files, &module);
	temporary_write(root, "given/more/snd-hda-intel.ko", "", 0);
	after = debug_files_find(files, &module);
	cr_expect_eq(g_strv_length(before), 1);
	cr_expect_eq(g_strv_length(after), 1);
}
