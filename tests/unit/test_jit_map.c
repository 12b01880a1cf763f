/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/elf/jit_map.h"

#include "code/elf/user_resolve.h"
#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(jit_map);

enum { PLENTY = 1 << 20 };

static ElfFunctions *read_text(const char *text, size_t length)
{
	int descriptor = memfd_create("test", MFD_CLOEXEC);
	ElfFunctions *functions;

	cr_assert(eq(sz, (size_t)write(descriptor, text, length), length));
	functions = jit_map_read(descriptor);
	close(descriptor);
	return functions;
}

static void expect_name(const ElfFunctions *functions, uint64_t address, const char *wanted)
{
	UserName name;
	bool found = elf_functions_find(functions, address, &name);

	cr_assert(eq(int, found, wanted != NULL), "%lx", address);
	if (found)
		cr_expect(eq(str, (char *)name.name, (char *)wanted));
}

/* As node 20 and Python 3.12 write it. */
Test(jit_map, generated_functions_are_found_by_address)
{
	static const char text[] = "7f5e30000000 40 LazyCompile:~f /srv/a b.js:1:1\n"
				   "0x7f5e30000040 0x20 py::main:/srv/a.py\n";
	g_autoptr(ElfFunctions) functions = read_text(text, strlen(text));

	expect_name(functions, 0x7f5e3000003f, "LazyCompile:~f /srv/a b.js:1:1");
	expect_name(functions, 0x7f5e30000040, "py::main:/srv/a.py");
	expect_name(functions, 0x7f5e30000060, NULL);
}

Test(jit_map, the_last_line_of_an_address_counts)
{
	static const char text[] = "1000 40 a_good_name\n1000 20 __replaced\n";
	g_autoptr(ElfFunctions) functions = read_text(text, strlen(text));

	expect_name(functions, 0x1000, "__replaced");
	expect_name(functions, 0x1020, NULL);
}

Test(jit_map, damaged_lines_are_left_out)
{
	static const char text[] = "\n1000\n1000 20\n1000 20 \n1000 0 a\nx 20 a\n1000 x a\n"
				   "ffffffffffffffff 2 a\n1000 20 a\0b\n2000 10 whole";
	g_autoptr(ElfFunctions) functions = read_text(text, sizeof(text) - 1);

	for (uint64_t address = 0; address < 0x3000; address++)
		expect_name(functions, address,
			    address >= 0x2000 && address < 0x2010 ? "whole" : NULL);
	expect_name(functions, UINT64_MAX, NULL);
}

/* A process of a container: pid 42 here, 7 there. */
static FakeHost *host_with_process(void)
{
	FakeHost *host = fake_host_new();

	fake_host_write_of_process(host, 42, "status", "Name:\tnode\nNSpid:\t42\t7\nX:\t1\n");
	return host;
}

static bool can_open(const JitProcess *process, const FakeHost *host)
{
	int descriptor = jit_map_open(process, host);

	if (descriptor >= 0)
		close(descriptor);
	return descriptor >= 0;
}

Test(jit_map, the_file_is_that_of_the_namespaces_of_the_process)
{
	g_autoptr(FakeHost) host = host_with_process();
	JitProcess process = { 0 };

	fake_host_write(host, "tmp/perf-42.map", "1000 10 f\n");
	cr_assert(jit_process_find(&process, host, 42));
	cr_expect(eq(u32, process.tgid_inside, 7));
	cr_expect(not(can_open(&process, host)));
	fake_host_write_of_process(host, 42, "root/tmp/perf-7.map", "1000 10 f\n");
	cr_expect(can_open(&process, host));
}

Test(jit_map, the_file_of_a_process_that_ended_is_found)
{
	g_autoptr(FakeHost) host = fake_host_new();
	JitProcess process = { .tgid = 42, .tgid_inside = 42, .user = geteuid() };

	fake_host_write(host, "tmp/perf-42.map", "1000 10 f\n");
	cr_expect(can_open(&process, host));
	cr_expect(not(jit_process_find(&process, host, 42)));
}

Test(jit_map, the_file_of_another_user_is_not_read)
{
	g_autoptr(FakeHost) host = fake_host_new();
	JitProcess process = { .tgid = 42, .tgid_inside = 42, .user = 1000 };
	g_autofree char *path = g_strconcat(host, "/tmp/perf-42.map", NULL);

	fake_host_write(host, "tmp/perf-42.map", "1000 10 f\n");
	if (chown(path, 1001, 1001))
		cr_skip("needs root");
	cr_expect(not(can_open(&process, host)));
	cr_assert_eq(chown(path, 1000, 1000), 0);
	cr_expect(can_open(&process, host));
}

Test(jit_map, links_and_pipes_are_not_followed)
{
	g_autoptr(FakeHost) host = fake_host_new();
	JitProcess process = { .tgid = 42, .tgid_inside = 42, .user = geteuid() };
	g_autofree char *path = g_strconcat(host, "/tmp/perf-42.map", NULL);

	fake_host_write(host, "tmp/other", "1000 10 f\n");
	fake_host_add_link(host, "tmp/perf-42.map", "other");
	cr_expect(not(can_open(&process, host)));
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect(not(can_open(&process, host)));
}

static size_t resolve(const UserObjects *objects, ObjectFiles *files, uint64_t address)
{
	g_autoptr(GString) text = g_string_new(NULL);
	UserPlace place = { 1, address };

	return user_resolve(text, objects, files, &place, 1);
}

Test(jit_map, functions_that_are_generated_later_have_names)
{
	static const char line[] = "m 1 42 1000 1000 0 0:0 0 0 - //anon";
	g_autoptr(FakeHost) host = host_with_process();
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	g_autoptr(UserMaps) maps = user_maps_new(objects, PLENTY);
	g_autoptr(ObjectFiles) files = object_files_new(objects, host, 16);
	TextPart lines = { line, strlen(line) };

	user_maps_parse(maps, lines);
	object_files_see_lines(files, lines);
	cr_expect(eq(sz, resolve(objects, files, 0x1000), 0));
	fake_host_write_of_process(host, 42, "root/tmp/perf-7.map", "1000 10 f\n");
	cr_expect(eq(sz, resolve(objects, files, 0x1000), 1));
	cr_expect(eq(sz, resolve(objects, files, 0x1010), 0));
}

Test(jit_map, a_map_that_grew_is_read_again)
{
	static const char line[] = "m 1 42 1000 1000 0 0:0 0 0 - //anon";
	g_autoptr(FakeHost) host = host_with_process();
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	g_autoptr(UserMaps) maps = user_maps_new(objects, PLENTY);
	g_autoptr(ObjectFiles) files = object_files_new(objects, host, 16);
	g_autofree char *path = g_strconcat(host, "/proc/42/root/tmp/perf-7.map", NULL);
	TextPart lines = { line, strlen(line) };
	FILE *file;

	fake_host_write_of_process(host, 42, "root/tmp/perf-7.map", "1000 10 f\n");
	user_maps_parse(maps, lines);
	object_files_see_lines(files, lines);
	cr_expect(le(int, 0, object_files_descriptor(files, 1)));
	cr_expect(eq(sz, resolve(objects, files, 0x1010), 0));
	file = fopen(path, "ae");
	fputs("1010 10 g\n", file);
	fclose(file);
	cr_expect(eq(sz, resolve(objects, files, 0x1010), 1));
}
