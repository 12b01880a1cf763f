/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap/module_cache.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(module_cache);

/* A cache in a folder of its own, and a file to store. */
typedef struct {
	char *top;
	char *folder;
	char *file;
	ModuleCache *cache;
} Fixture;

static Fixture fixture_new(void)
{
	Fixture fixture = { .top = temporary_folder() };

	fixture.folder = g_build_filename(fixture.top, "cache", NULL);
	fixture.file = g_build_filename(fixture.top, "some.ko", NULL);
	temporary_write(fixture.top, "some.ko", "module", -1);
	fixture.cache = module_cache_open(fixture.folder, NULL);
	cr_assert_not_null(fixture.cache);
	return fixture;
}

static void fixture_clear(Fixture *fixture)
{
	temporary_free(fixture->top);
	module_cache_free(fixture->cache);

	g_free(fixture->folder);
	g_free(fixture->file);
}

static void store(Fixture *fixture, const char *name)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = module_cache_store(fixture->cache, name, fixture->file, &error);

	cr_assert_not_null(path, "%s", error ? error->message : "");
}

static bool is_known(Fixture *fixture, const char *name)
{
	g_autofree char *path = module_cache_lookup(fixture->cache, name);

	return path != NULL;
}

Test(module_cache, what_was_stored_is_found)
{
	Fixture fixture = fixture_new();
	g_autofree char *path = NULL;
	g_autofree char *content = NULL;
	struct stat status;

	cr_expect_not(is_known(&fixture, "kmt_1"));
	store(&fixture, "kmt_1");
	path = module_cache_lookup(fixture.cache, "kmt_1");
	cr_assert_not_null(path);
	cr_expect(g_str_has_suffix(path, "/kmt_1/kmt_1.ko"), "%s", path);
	content = file_read(path, NULL);
	cr_expect_str_eq(content, "module");
	cr_assert_eq(stat(fixture.folder, &status), 0);
	cr_expect_eq(status.st_mode & 07777, 0700);
	cr_assert_eq(stat(path, &status), 0);
	cr_expect_eq(status.st_mode & 07777, 0600);
	fixture_clear(&fixture);
}

Test(module_cache, a_changed_module_is_not_used)
{
	Fixture fixture = fixture_new();
	g_autofree char *path = g_build_filename(fixture.folder, "kmt_1", "kmt_1.ko", NULL);
	int fd;

	store(&fixture, "kmt_1");
	fd = open(path, O_WRONLY);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, "M", 1), 1);
	close(fd);
	cr_expect_not(is_known(&fixture, "kmt_1"));
	store(&fixture, "kmt_1");
	cr_expect(is_known(&fixture, "kmt_1"));
	fixture_clear(&fixture);
}

Test(module_cache, a_module_that_others_can_write_is_not_used)
{
	Fixture fixture = fixture_new();
	g_autofree char *path = g_build_filename(fixture.folder, "kmt_1", "kmt_1.ko", NULL);

	store(&fixture, "kmt_1");
	g_chmod(path, 0660);
	cr_expect_not(is_known(&fixture, "kmt_1"));
	fixture_clear(&fixture);
}

Test(module_cache, a_linked_module_is_not_used)
{
	Fixture fixture = fixture_new();
	g_autofree char *path = g_build_filename(fixture.folder, "kmt_1", "kmt_1.ko", NULL);

	store(&fixture, "kmt_1");
	g_chmod(fixture.file, 0600);
	g_unlink(path);
	cr_assert_eq(symlink(fixture.file, path), 0);
	cr_expect_not(is_known(&fixture, "kmt_1"));
	fixture_clear(&fixture);
}

Test(module_cache, a_folder_open_to_others_is_refused)
{
	Fixture fixture = fixture_new();
	g_autoptr(GError) error = NULL;

	g_chmod(fixture.folder, 0755);
	cr_expect_null(module_cache_open(fixture.folder, &error));
	cr_assert_not_null(error);
	cr_expect(strstr(error->message, "0700") != NULL, "%s", error->message);
	fixture_clear(&fixture);
}

Test(module_cache, a_link_to_a_folder_is_refused)
{
	Fixture fixture = fixture_new();
	g_autofree char *link = g_build_filename(fixture.top, "link", NULL);
	g_autoptr(GError) error = NULL;

	cr_assert_eq(symlink(fixture.folder, link), 0);
	cr_expect_null(module_cache_open(link, &error));
	cr_expect_not_null(error);
	fixture_clear(&fixture);
}

/* Sets the time of last use, in seconds. */
static void set_used(Fixture *fixture, const char *name, time_t seconds)
{
	g_autofree char *base = g_strconcat(name, ".hash", NULL);
	g_autofree char *path = g_build_filename(fixture->folder, name, base, NULL);
	struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

Test(module_cache, the_modules_unused_for_longest_go)
{
	Fixture fixture = fixture_new();

	for (int i = 0; i < MODULE_CACHE_ENTRIES_MAX; i++) {
		g_autofree char *name = g_strdup_printf("kmt_%d", i);

		store(&fixture, name);
		set_used(&fixture, name, 1000 + i);
	}
	cr_expect(is_known(&fixture, "kmt_0"));
	store(&fixture, "kmt_new");
	cr_expect(is_known(&fixture, "kmt_0"));
	cr_expect(is_known(&fixture, "kmt_new"));
	cr_expect_not(is_known(&fixture, "kmt_1"));
	cr_expect(is_known(&fixture, "kmt_2"));
	fixture_clear(&fixture);
}

Test(module_cache, work_folders_of_killed_runs_are_removed)
{
	Fixture fixture = fixture_new();
	g_autofree char *left = g_build_filename(fixture.folder, "work-2147483646-abcdef", NULL);
	g_autofree char *first = NULL;
	g_autofree char *second = NULL;

	cr_assert_eq(g_mkdir(left, 0700), 0);
	first = module_cache_make_folder(fixture.cache, NULL);
	second = module_cache_make_folder(fixture.cache, NULL);
	cr_expect_not(g_file_test(left, G_FILE_TEST_EXISTS));
	cr_expect(g_file_test(first, G_FILE_TEST_IS_DIR));
	cr_expect(g_file_test(second, G_FILE_TEST_IS_DIR));
	fixture_clear(&fixture);
}

Test(module_cache, looking_makes_no_cache)
{
	Fixture fixture = fixture_new();
	g_autofree char *folder = g_build_filename(fixture.top, "a", "b", NULL);
	g_autofree char *parent = g_path_get_dirname(folder);
	g_autoptr(ModuleCache) cache = module_cache_look(folder, NULL);

	cr_assert_not_null(cache);
	cr_expect_not(module_cache_has(cache, "kmt_1"));
	cr_expect_not(g_file_test(parent, G_FILE_TEST_EXISTS));
	fixture_clear(&fixture);
}

Test(module_cache, looking_refuses_what_opening_refuses)
{
	Fixture fixture = fixture_new();
	g_autoptr(GError) error = NULL;

	g_chmod(fixture.folder, 0755);
	cr_expect_null(module_cache_look(fixture.folder, &error));
	cr_assert_not_null(error);
	cr_expect(strstr(error->message, "0700") != NULL, "%s", error->message);
	fixture_clear(&fixture);
}

Test(module_cache, looking_is_no_use)
{
	Fixture fixture = fixture_new();
	g_autofree char *note = g_build_filename(fixture.folder, "kmt_1", "kmt_1.hash", NULL);
	struct stat status;

	store(&fixture, "kmt_1");
	set_used(&fixture, "kmt_1", 1000);
	cr_expect(module_cache_has(fixture.cache, "kmt_1"));
	cr_assert_eq(stat(note, &status), 0);
	cr_expect_eq(status.st_mtim.tv_sec, 1000);
	cr_expect(is_known(&fixture, "kmt_1"));
	cr_assert_eq(stat(note, &status), 0);
	cr_expect_neq(status.st_mtim.tv_sec, 1000);
	fixture_clear(&fixture);
}
