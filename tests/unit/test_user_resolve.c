/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/elf/user_resolve.h"

#include "code/elf/elf_file.h"
#include "code/elf/object_open.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

TEST_SUITE_WITHOUT_LEAKS(user_resolve);

enum { PLENTY = 64 << 20 };

/* What a recording of this host has. */
typedef struct {
	UserObjects *objects;
	UserMaps *maps;
	ObjectFiles *files;
} Host;

static Host new_host(unsigned files_max)
{
	Host host = { .objects = user_objects_new(PLENTY) };

	host.maps = user_maps_new(host.objects, PLENTY);
	host.files = object_files_new(host.objects, "", files_max);
	return host;
}

static void free_host(const Host *host)
{
	object_files_free(host->files);
	user_maps_free(host->maps);
	user_objects_free(host->objects);
}

/* A FileOpenerTaker. */
static void take_lines(const char *lines, size_t bytes, void *user_data)
{
	g_string_append_len(user_data, lines, (gssize)bytes);
}

/* Reads what is mapped now by this process and another one; 0: none. Tests that run at the same
   time have the same program elsewhere, and delete it. */
static void see(const Host *host, pid_t other)
{
	g_autoptr(GString) all = g_string_new(NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	TextPart lines, line;
	UserMapLine mapping;

	file_opener_scan(object_files_opener(host->files), 1, false, take_lines, all);
	lines = (TextPart){ all->str, all->len };
	while (text_part_next_line(&lines, &line)) {
		if (!user_map_line_parse(line, &mapping) ||
		    (mapping.tgid != (uint32_t)getpid() && mapping.tgid != (uint32_t)other))
			continue;
		g_string_append_len(text, line.text, (gssize)line.length);
		g_string_append_c(text, '\n');
	}
	cr_assert_gt(text->len, 0);
	lines = (TextPart){ text->str, text->len };
	user_maps_parse(host->maps, lines);
	object_files_see_lines(host->files, lines);
}

/* Expects this function at an address of a process. */
static void expect_function(const Host *host, uint32_t tgid, uint64_t address, const char *wanted)
{
	g_autoptr(UserNames) names = user_names_new(host->objects, PLENTY);
	g_autoptr(GString) text = g_string_new(NULL);
	UserPlace place;
	UserName name;

	cr_assert(user_maps_lookup(host->maps, tgid, 2, address, &place));
	user_resolve(text, host->objects, host->files, &place, 1);
	user_names_parse(names, (TextPart){ text->str, text->len });
	cr_assert(user_names_find(names, place, &name), "%s has no name", wanted);
	cr_expect(eq(str, (char *)name.name, (char *)wanted));
}

static __attribute__((noinline)) int function_of_this_test(int a)
{
	return a + getpid();
}

#define ADDRESS(function) ((uint64_t)(uintptr_t)(function))

Test(user_resolve, functions_of_this_process_have_their_names)
{
	Host host = new_host(PLENTY);
	uint32_t self = (uint32_t)getpid();

	cr_assert(ne(int, function_of_this_test(1), 0));
	see(&host, 0);
	expect_function(&host, self, ADDRESS(&user_resolve), "user_resolve");
	expect_function(&host, self, ADDRESS(&user_resolve) + 9, "user_resolve");
	expect_function(&host, self, ADDRESS(&function_of_this_test), "function_of_this_test");
	expect_function(&host, self, ADDRESS(&qsort), "qsort");
	free_host(&host);
}

Test(user_resolve, each_place_is_resolved_once)
{
	Host host = new_host(PLENTY);
	g_autoptr(GString) text = g_string_new(NULL);
	UserPlace places[4] = { 0 };
	UserPlace place;

	see(&host, 0);
	user_maps_lookup(host.maps, (uint32_t)getpid(), 2, ADDRESS(&qsort), &place);
	places[1] = places[3] = place;
	places[2] = (UserPlace){ 1000000, 5 };
	cr_expect(eq(sz, user_resolve(text, host.objects, host.files, places, 4), 1));
	cr_expect(g_str_has_prefix(text->str, "v "));
	cr_expect(eq(ptr, strchr(strchr(text->str, '\n') + 1, '\n') + 1, text->str + text->len));
	free_host(&host);
}

/* A child that has mapped a program of its own: this one, with another build id. */
typedef struct {
	pid_t pid;
	uint64_t address; /* of the mapping */
} ExampleProcess;

/* Changes one byte of the build id, so that the copy is another object. */
static void change_build_id(char *bytes, gsize length)
{
	ElfFile file;
	UserFileId id = { 0 };
	char *at;

	if (!elf_file_begin_memory(&file, bytes, length))
		_exit(1);
	if (elf_file_build_id(&file, &id)) {
		at = memmem(bytes, length, id.build_id, id.build_id_bytes);
		*at ^= 0x55;
	}
	elf_file_end(&file);
}

static char *copy_of_this_program(const char *folder)
{
	char *path = g_build_filename(folder, "program", NULL);
	char *bytes;
	gsize length;

	if (!g_file_get_contents("/proc/self/exe", &bytes, &length, NULL))
		_exit(1);
	change_build_id(bytes, length);
	if (!g_file_set_contents(path, bytes, (gssize)length, NULL))
		_exit(1);
	g_free(bytes);
	return path;
}

static void map_and_wait(const char *path, int report)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *mapped;

	if (fstat(descriptor, &status))
		_exit(1);
	mapped = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, descriptor,
		      0);
	if (mapped == MAP_FAILED || write(report, &mapped, sizeof(mapped)) != sizeof(mapped))
		_exit(1);
	for (;;)
		pause();
}

/* Puts a file system on the folder that only this process sees. */
static bool hide_folder(const char *folder)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", folder, "tmpfs", 0, "size=256m");
}

/* Returns a child without address if it may not hide the folder. */
static ExampleProcess start_child(const char *folder, bool is_hidden, bool is_deleted)
{
	ExampleProcess child = { 0 };
	int report[2];

	cr_assert_eq(pipe(report), 0);
	child.pid = fork();
	cr_assert_geq(child.pid, 0);
	if (child.pid == 0) {
		char *path;

		if (is_hidden && !hide_folder(folder))
			_exit(1);
		path = copy_of_this_program(folder);
		if (is_deleted) {
			char *moved = g_strconcat(path, "-moved", NULL);

			rename(path, moved);
			path = moved;
		}
		map_and_wait(path, report[1]);
	}
	close(report[1]);
	if (read(report[0], &child.address, sizeof(child.address)) != sizeof(child.address))
		child.address = 0;
	close(report[0]);
	if (is_deleted) {
		g_autofree char *moved = g_build_filename(folder, "program-moved", NULL);

		unlink(moved);
	}
	return child;
}

static void end_child(const ExampleProcess *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

/* Returns the offset in the file of this program of a function. */
static uint64_t offset_in_program(const Host *host, uint64_t address)
{
	UserPlace place;

	cr_assert(user_maps_lookup(host->maps, (uint32_t)getpid(), 2, address, &place));
	return place.offset;
}

static void expect_function_of_child(const Host *host, const ExampleProcess *child)
{
	uint64_t offset = offset_in_program(host, ADDRESS(&elf_functions_find));

	expect_function(host, (uint32_t)child->pid, child->address + offset, "elf_functions_find");
}

Test(user_resolve, functions_have_names_after_the_process_ended_and_the_file_was_deleted)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	ExampleProcess child = start_child(folder, false, false);
	Host host = new_host(PLENTY);

	cr_assert(ne(u64, child.address, 0));
	see(&host, child.pid);
	end_child(&child);
	temporary_remove(folder);
	expect_function_of_child(&host, &child);
	free_host(&host);
}

/* Gives the copy to another user, who calls a function otherwise. */
static void forge_copy(const char *folder)
{
	static const char name[] = "elf_functions_find", forged[] = "elf_functions_fake";
	g_autofree char *path = g_build_filename(folder, "program", NULL);
	g_autofree char *bytes = NULL;
	int file = open(path, O_WRONLY | O_CLOEXEC);
	gsize length;
	char *at;

	bytes = file_read(path, &length);
	for (at = bytes; (at = memmem(at, (size_t)(bytes + length - at), name, sizeof(name)));
	     at += sizeof(name))
		cr_assert_eq(pwrite(file, forged, sizeof(forged), at - bytes), sizeof(forged));
	cr_assert_eq(fchown(file, 65533, (gid_t)-1), 0);
	close(file);
}

/* Anybody may run a file with the build id of another one. */
Test(user_resolve, the_file_of_a_stranger_gives_no_names_to_that_of_root)
{
	g_autoptr(TemporaryFolder) theirs = temporary_folder();
	g_autoptr(TemporaryFolder) ours = temporary_folder();
	ExampleProcess stranger, child;
	Host host;

	if (geteuid() != 0)
		cr_skip("needs root");
	stranger = start_child(theirs, false, false);
	child = start_child(ours, false, false);
	host = new_host(PLENTY);
	forge_copy(theirs);
	see(&host, stranger.pid);
	see(&host, child.pid);
	see(&host, stranger.pid);
	expect_function_of_child(&host, &child);
	end_child(&stranger);
	end_child(&child);
	free_host(&host);
}

Test(user_resolve, functions_of_a_file_that_was_deleted_before_have_names)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	ExampleProcess child = start_child(folder, false, true);
	Host host = new_host(PLENTY);

	if (geteuid() != 0)
		cr_skip("needs root");
	cr_assert(ne(u64, child.address, 0));
	see(&host, child.pid);
	end_child(&child);
	expect_function_of_child(&host, &child);
	free_host(&host);
}

Test(user_resolve, functions_of_another_mount_namespace_have_names)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	ExampleProcess child = start_child(folder, true, false);
	Host host = new_host(PLENTY);

	if (!child.address) {
		end_child(&child);
		free_host(&host);
		temporary_remove(folder);
		cr_skip("may not mount");
	}
	see(&host, child.pid);
	end_child(&child);
	expect_function_of_child(&host, &child);
	free_host(&host);
}

static unsigned open_files(const Host *host)
{
	unsigned count = 0;

	for (uint32_t i = 1; i <= user_objects_count(host->objects); i++)
		count += object_files_descriptor(host->files, i) >= 0;
	return count;
}

/* Those that were not kept open are found where they were. */
Test(user_resolve, without_room_for_open_files_names_are_found_by_path)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	ExampleProcess child = start_child(folder, false, false);
	Host host = new_host(1);

	cr_assert(ne(u64, child.address, 0));
	see(&host, child.pid);
	cr_expect(eq(uint, open_files(&host), 1));
	end_child(&child);
	expect_function_of_child(&host, &child);
	expect_function(&host, (uint32_t)getpid(), ADDRESS(&qsort), "qsort");
	expect_function(&host, (uint32_t)getpid(), ADDRESS(&getpid), "getpid");
	/* They are closed again. */
	cr_expect(le(uint, open_files(&host), 2));
	free_host(&host);
}

Test(user_resolve, what_found_no_room_and_is_gone_is_named)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	ExampleProcess child = start_child(folder, false, false);
	Host host = new_host(1);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *problems = NULL;
	UserPlace place;

	cr_assert(ne(u64, child.address, 0));
	see(&host, child.pid);
	end_child(&child);
	temporary_remove(folder);
	cr_assert(user_maps_lookup(host.maps, (uint32_t)child.pid, 2, child.address, &place));
	cr_expect(eq(sz, user_resolve(text, host.objects, host.files, &place, 1), 0));
	problems = object_files_problems(host.files);
	cr_assert_not_null(problems);
	cr_expect(ne(ptr, strstr(problems, "/program: too many files are mapped"), NULL), "%s",
		  problems);
	free_host(&host);
}

/* The line of a mapping of this program, which is nobody's. */
static UserMapLine line_of(const char *path, const struct stat *status)
{
	return (UserMapLine){ .type = USER_MAP_MAPPED,
			      .tgid = UINT32_MAX,
			      .start = 0x1000,
			      .length = 0x1000,
			      .file = { .major = major(status->st_dev),
					.minor = minor(status->st_dev),
					.inode = status->st_ino },
			      .path = { path, strlen(path) } };
}

static bool can_open(const UserMapLine *line)
{
	int descriptor = object_open("", line);

	if (descriptor >= 0)
		close(descriptor);
	return descriptor >= 0;
}

Test(user_resolve, a_file_found_by_its_path_must_be_the_mapped_one)
{
	g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
	struct stat status;
	UserMapLine line;

	cr_assert_eq(stat(path, &status), 0);
	line = line_of(path, &status);
	cr_expect(can_open(&line));
	line.file.inode++;
	cr_expect(not(can_open(&line)));
	line.file.inode--;
	line.file.minor++;
	cr_expect(not(can_open(&line)));
	line.file.build_id_bytes = 20;
	cr_expect(not(can_open(&line)));
}

Test(user_resolve, only_regular_files_are_opened)
{
	struct stat status;
	UserMapLine line;

	cr_assert_eq(stat("/dev/null", &status), 0);
	line = line_of("/dev/null", &status);
	cr_expect(not(can_open(&line)));
}
