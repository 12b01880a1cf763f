/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of stripped files: from debug files, from MiniDebugInfo, and entries that jump to other
   objects. The tools of binutils prepare the files, from a program of the tests. */
#include "config.h"

#include "code/elf/elf_symbols.h"

#include "code/elf/elf_file.h"
#include "elf_examples.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(elf_symbols_beside);

/* Runs a command of the shell in the folder; what cannot be run skips the test. */
static void run_in(const char *folder, const char *commands)
{
	const char *const words[] = { "/bin/sh", "-ec", commands, NULL };
	g_autofree char *messages = NULL;
	int status;

	cr_assert(g_spawn_sync(folder, (char **)words, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
			       NULL, &messages, &status, NULL));
	if (strstr(messages, "not found")) {
		temporary_remove(folder);
		cr_skip("%s", messages);
	}
	cr_assert_eq(status, 0, "%s", messages);
}

/* Returns a folder with "program", which has all symbols. */
static TemporaryFolder *folder_with_program(void)
{
	char *folder = temporary_folder();

	run_in(folder, "cp " WORKLOAD " program; cp " WORKLOAD " whole");
	return folder;
}

static ElfFunctions *read_below(const char *folder, const char *root)
{
	g_autofree char *path = g_build_filename(folder, "program", NULL);
	ElfSymbolsFile file = { .path = path, .root = root };
	ElfFunctions *functions;

	file.descriptor = open(path, O_RDONLY | O_CLOEXEC);
	functions = elf_symbols_read(&file);
	close(file.descriptor);
	cr_assert_not_null(functions);
	return functions;
}

/* Returns how many of the places in the code of the whole program have the same name. */
static unsigned same_names(const char *folder, const ElfFunctions *functions)
{
	g_autofree char *path = g_build_filename(folder, "whole", NULL);
	g_autoptr(ElfFunctions) whole = elf_example_read(path);
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	unsigned same = 0;
	ElfFile file;

	cr_assert(elf_file_begin(&file, descriptor));
	for (uint64_t at = 0; at < file.segments[0].bytes; at += 8) {
		UserName a, b;

		same += elf_functions_find(whole, file.segments[0].offset + at, &a) &&
			elf_functions_find(functions, file.segments[0].offset + at, &b) &&
			!strcmp(a.name, b.name) && a.offset == b.offset;
	}
	elf_file_end(&file);
	close(descriptor);
	return same;
}

/* Expects all names of the whole program, or few. */
static void expect_names(const char *folder, const char *root, bool has_all)
{
	g_autoptr(ElfFunctions) functions = read_below(folder, root);
	g_autofree char *path = g_build_filename(folder, "whole", NULL);
	g_autoptr(ElfFunctions) whole = elf_example_read(path);
	unsigned all = same_names(folder, whole);
	unsigned same = same_names(folder, functions);

	cr_assert_gt(all, 100);
	if (has_all)
		cr_expect(eq(uint, same, all));
	else
		cr_expect(lt(uint, same, all / 2));
}

Test(elf_symbols_beside, a_stripped_program_has_few_names)
{
	g_autoptr(TemporaryFolder) folder = folder_with_program();

	run_in(folder, "strip program");
	expect_names(folder, folder, false);
}

Test(elf_symbols_beside, a_debug_file_is_found_by_its_link)
{
	static const char *const folders[] = { ".", ".debug", "usr/lib/debug/." };
	static const char *const roots[] = { "", "", NULL };

	for (unsigned i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autoptr(TemporaryFolder) folder = folder_with_program();
		g_autofree char *place = roots[i] ? g_strdup(folders[i])
						  : g_strconcat("usr/lib/debug/", folder, NULL);
		g_autofree char *commands = g_strdup_printf(
			"objcopy --only-keep-debug program program.debug; strip program;"
			"objcopy --add-gnu-debuglink=program.debug program;"
			"mkdir -p '%s'; [ '%s' = . ] || mv program.debug '%s'",
			place, place, place);

		run_in(folder, commands);
		expect_names(folder, roots[i] ? roots[i] : folder, true);
	}
}

Test(elf_symbols_beside, a_debug_file_is_found_by_its_build_id)
{
	g_autoptr(TemporaryFolder) folder = folder_with_program();

	run_in(folder, "id=$(readelf -n program | sed -n 's/.*Build ID: //p');"
		       "d=usr/lib/debug/.build-id/$(echo $id | cut -c1-2); mkdir -p $d;"
		       "objcopy --only-keep-debug program $d/$(echo $id | cut -c3-).debug;"
		       "strip program");
	expect_names(folder, folder, true);
}

#define WITHOUT_BUILD_ID                                                                           \
	"objcopy --remove-section=.note.gnu.build-id program;"                                     \
	"objcopy --only-keep-debug program program.debug; strip program;"                          \
	"objcopy --add-gnu-debuglink=program.debug program;"

Test(elf_symbols_beside, without_a_build_id_the_checksum_decides)
{
	g_autoptr(TemporaryFolder) folder = folder_with_program();

	run_in(folder, WITHOUT_BUILD_ID);
	expect_names(folder, "", true);
	run_in(folder, "echo >>program.debug");
	expect_names(folder, "", false);
}

Test(elf_symbols_beside, a_debug_file_of_another_build_is_not_used)
{
	g_autoptr(TemporaryFolder) folder = folder_with_program();

	run_in(folder, "objcopy --only-keep-debug program program.debug; strip program;"
		       "objcopy --add-gnu-debuglink=program.debug program;"
		       "objcopy --remove-section=.note.gnu.build-id program.debug");
	expect_names(folder, "", false);
}

Test(elf_symbols_beside, a_pipe_is_no_debug_file)
{
	g_autoptr(TemporaryFolder) folder = folder_with_program();

	run_in(folder, WITHOUT_BUILD_ID "rm program.debug; mkfifo program.debug");
	expect_names(folder, "", false);
}

#define WITH_MINI_DEBUG                                                                            \
	"objcopy --strip-debug program mini; strip program; xz -k mini;"                           \
	"objcopy --add-section .gnu_debugdata=mini.xz program;"

Test(elf_symbols_beside, symbols_packed_into_the_program_are_read)
{
	g_autoptr(TemporaryFolder) folder = folder_with_program();

	run_in(folder, WITH_MINI_DEBUG);
#ifdef HAVE_LZMA
	expect_names(folder, folder, true);
#else
	expect_names(folder, folder, false);
#endif
}

Test(elf_symbols_beside, damaged_packed_symbols_are_left_out)
{
	g_autoptr(TemporaryFolder) folder = folder_with_program();

	run_in(folder, WITH_MINI_DEBUG "head -c 2000 mini.xz >cut.xz;"
				       "objcopy --remove-section=.gnu_debugdata program;"
				       "objcopy --add-section .gnu_debugdata=cut.xz program");
	expect_names(folder, folder, false);
}

/* A second opinion: objdump marks the entries as "0000000000001030 <puts@plt>:". */
static unsigned compare_with_objdump(const char *path)
{
	g_autofree char *command =
		g_strdup_printf("objdump -d -j .plt -j .plt.sec -j .plt.got %s", path);
	g_autoptr(ElfFunctions) functions = elf_example_read(path);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	unsigned entries = 0;
	ElfFile file;

	cr_assert(elf_file_begin(&file, descriptor));
	if (!g_spawn_command_line_sync(command, &text, NULL, NULL, NULL))
		cr_skip("no objdump");
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		char *name = strchr(*line, '<');
		char *end = strstr(*line, "@plt>:");
		uint64_t offset;
		UserName found;

		if (!name || !end || name[1] == '*') /* "*ABS*+0x1000@plt" has no name */
			continue;
		end[strlen("@plt")] = '\0';
		cr_assert(elf_file_offset(&file, g_ascii_strtoull(*line, NULL, 16), &offset));
		cr_assert(elf_functions_find(functions, offset, &found), "%s", name);
		cr_expect(eq(str, (char *)found.name, name + 1));
		cr_expect(eq(u64, found.offset, 0));
		entries++;
	}
	elf_file_end(&file);
	close(descriptor);
	return entries;
}

Test(elf_symbols_beside, entries_that_jump_to_other_objects_have_their_names)
{
#if defined(__x86_64__) || defined(__aarch64__)
	g_autofree char *library = elf_example_library((const void *)(uintptr_t)&g_strdup);

	cr_expect(lt(uint, 10, compare_with_objdump(WORKLOAD)));
	cr_expect(lt(uint, 10, compare_with_objdump(library)));
#endif
}
