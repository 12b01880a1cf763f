/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/preset_list.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

TEST_SUITE_WITHOUT_LEAKS(preset_list);

#define NOWHERE "/nonexistent/presets"

static const char form[] = "[preset]\nname=%s\ntitle=%s\n[point.a]\nprobe=k:f\n";

/* Writes a preset of this name and title below the folder. */
static void write_preset(const char *folder, const char *name, const char *title)
{
	g_autofree char *file = g_strconcat(name, ".preset", NULL);
	g_autofree char *text = g_strdup_printf(form, name, title);

	temporary_write(folder, file, text, -1);
}

/* Returns "NAME TITLE, ..." of all presets; the problems follow, each in a line. */
static char *list(const PresetFolders *folders)
{
	g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) presets = preset_list(folders, problems);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < presets->len; i++) {
		const Preset *preset = presets->pdata[i];

		g_string_append_printf(text, "%s%s %s", i ? ", " : "", preset->name, preset->title);
	}
	for (guint i = 0; i < problems->len; i++)
		g_string_append_printf(text, "\n%s", (const char *)problems->pdata[i]);
	return g_string_free(text, FALSE);
}

Test(preset_list, presets_of_the_host_replace_those_of_the_program)
{
	g_autoptr(TemporaryFolder) program = temporary_folder();
	g_autoptr(TemporaryFolder) host = temporary_folder();
	const PresetFolders folders = { program, host };
	g_autofree char *names = NULL;

	write_preset(program, "b", "program");
	write_preset(program, "a", "program");
	write_preset(host, "c", "host");
	write_preset(host, "b", "host");
	temporary_write(host, "README", "no preset", -1);
	temporary_write(host, ".c.preset", "hidden", -1);
	names = list(&folders);
	cr_expect_str_eq(names, "a program, b host, c host");
}

Test(preset_list, without_presets_the_searched_folders_are_named)
{
	const PresetFolders folders = { NOWHERE, NOWHERE };
	g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) presets = preset_list(&folders, problems);
	g_autoptr(GError) error = NULL;

	cr_expect_eq(presets->len, 0);
	cr_assert_eq(problems->len, 1);
	cr_expect_not_null(strstr(problems->pdata[0], "no presets are in " NOWHERE));
	cr_expect_null(preset_find(&folders, "brk", &error));
	cr_expect_not_null(strstr(error->message, "no presets are in " NOWHERE), "%s",
			   error->message);
}

Test(preset_list, a_folder_that_cannot_be_listed_is_a_problem)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *file = g_build_filename(folder, "presets", NULL);
	const PresetFolders folders = { file, NOWHERE };
	g_autofree char *names = NULL;
	g_autofree char *expected = NULL;

	temporary_write(folder, "presets", "no folder", -1);
	names = list(&folders);
	expected = g_strdup_printf("\n%s: its presets cannot be listed: check that it is a folder, "
				   "and its mode",
				   file);
	cr_expect_str_eq(names, expected);
}

Test(preset_list, a_file_that_is_no_preset_is_told)
{
	g_autoptr(TemporaryFolder) program = temporary_folder();
	const PresetFolders folders = { program, NOWHERE };
	g_autofree char *names = NULL;
	g_autofree char *expected = NULL;

	write_preset(program, "a", "program");
	temporary_write(program, "b.preset", "[preset]\nname=c\ntitle=C\n[point.a]\nprobe=k:f\n",
			-1);
	temporary_write(program, "d.preset", "[preset]\n", -1);
	names = list(&folders);
	expected =
		g_strdup_printf("a program\n%s/b.preset: [preset] name: the name is 'c', that of "
				"the file is another: make them the same\n%s/d.preset: [preset] "
				"name: the key is missing",
				program, program);
	cr_expect_str_eq(names, expected);
}

Test(preset_list, a_preset_is_found_by_its_name_or_its_path)
{
	g_autoptr(TemporaryFolder) program = temporary_folder();
	g_autofree char *path = g_build_filename(program, "a.preset", NULL);
	const PresetFolders folders = { program, NOWHERE };
	const PresetFolders nowhere = { NOWHERE, NOWHERE };
	g_autoptr(Preset) by_name = NULL;
	g_autoptr(Preset) by_path = NULL;

	write_preset(program, "a", "program");
	by_name = preset_find(&folders, "a", NULL);
	by_path = preset_find(&nowhere, path, NULL);
	cr_assert_not_null(by_name);
	cr_assert_not_null(by_path);
	cr_expect_str_eq(by_name->title, "program");
	cr_expect_str_eq(by_path->title, "program");
}

Test(preset_list, an_unknown_name_has_similar_ones)
{
	g_autoptr(TemporaryFolder) program = temporary_folder();
	const PresetFolders folders = { program, NOWHERE };
	g_autoptr(GError) similar = NULL;
	g_autoptr(GError) strange = NULL;

	write_preset(program, "reclaim", "program");
	write_preset(program, "migrate", "program");
	cr_expect_null(preset_find(&folders, "reclam", &similar));
	cr_expect_str_eq(similar->message, "no preset is called 'reclam': did you mean reclaim");
	cr_expect_null(preset_find(&folders, "\033xyz", &strange));
	cr_expect_str_eq(strange->message, "no preset is called '\\x1bxyz': --list shows all");
}

/* Returns the message for a path, after "PATH: ". */
static char *message_of(const char *folder, const char *name)
{
	const PresetFolders nowhere = { NOWHERE, NOWHERE };
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autoptr(GError) error = NULL;

	cr_assert_null(preset_find(&nowhere, path, &error));
	cr_assert(g_str_has_prefix(error->message, path));
	return g_strdup(error->message + strlen(path) + 2);
}

Test(preset_list, only_regular_files_of_a_size_are_read)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *large = g_strnfill(65537, '#');
	g_autofree char *pipe = g_build_filename(folder, "pipe", NULL);
	g_autofree char *of_large = NULL, *of_pipe = NULL, *of_folder = NULL, *of_none = NULL;

	temporary_write(folder, "large", large, -1);
	cr_assert_eq(mkfifo(pipe, 0600), 0);
	of_large = message_of(folder, "large");
	of_pipe = message_of(folder, "pipe");
	of_folder = message_of(folder, ".");
	of_none = message_of(folder, "none");
	cr_expect_str_eq(of_large, "more than 64 KiB: no preset is that large");
	cr_expect_str_eq(of_pipe, "not a regular file: name another");
	cr_expect_str_eq(of_folder, "not a regular file: name another");
	cr_expect_str_eq(of_none, "No such file or directory");
}

/* Whether the host's preset "a" is read after its file, then its folder, got these modes. */
static bool is_read(mode_t file_mode, mode_t folder_mode, uid_t owner)
{
	g_autoptr(TemporaryFolder) host = temporary_folder();
	g_autofree char *path = g_build_filename(host, "a.preset", NULL);
	const PresetFolders folders = { NOWHERE, host };
	g_autoptr(Preset) preset = NULL;
	g_autoptr(GError) error = NULL;

	write_preset(host, "a", "host");
	cr_assert_eq(chown(path, owner, (gid_t)-1), 0);
	cr_assert_eq(chmod(path, file_mode), 0);
	cr_assert_eq(chmod(host, folder_mode), 0);
	preset = preset_find(&folders, "a", &error);
	if (!preset)
		cr_expect(strstr(error->message, "others than root can write it"), "%s",
			  error->message);
	return preset;
}

Test(preset_list, root_reads_no_preset_of_the_host_that_others_can_write)
{
	if (geteuid())
		cr_skip_test("only root has something to lose");
	cr_expect(is_read(0644, 0755, 0));
	cr_expect_not(is_read(0664, 0755, 0));
	cr_expect_not(is_read(0646, 0755, 0));
	cr_expect_not(is_read(0644, 0775, 0));
	cr_expect_not(is_read(0644, 0755, 1000));
}
