/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/cache_probes.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(cache_probes);

/* What real kernels make of them tests/vm/cases/91-perf-caches.sh shows. */

Test(cache_probes, a_probe_reads_the_name_and_where_the_call_returns_to)
{
	g_autoptr(GString) lines = g_string_new(NULL);

	cache_probe_append(lines, cache_probe_registers("x86_64"), "kmalloc_top_7",
			   "kmem_cache_alloc_noprof", 96);
	cache_probe_append(lines, cache_probe_registers("aarch64"), "kmalloc_top_8",
			   "kmem_cache_alloc", 88);
	cr_expect_str_eq(lines->str,
			 "p:kmalloc_top_7/kmem_cache_alloc_noprof kmem_cache_alloc_noprof "
			 "name=+0(+96(%di)):string call_site=$stack0:u64\n"
			 "p:kmalloc_top_8/kmem_cache_alloc kmem_cache_alloc "
			 "name=+0(+88(%x0)):string call_site=%x30:u64\n");
	cr_expect_null(cache_probe_registers("pdp11"));
}

/* A folder as tracefs has it, with these groups of probes. */
static char *tracefs_new(const char *const groups[])
{
	char *folder = temporary_folder();

	temporary_write(folder, "kprobe_events", "before\n", -1);
	temporary_write(folder, "events/kmem/kmalloc/format", "", 0);
	for (; *groups; groups++) {
		g_autofree char *path = g_build_filename("events", *groups, "format", NULL);

		temporary_write(folder, path, "", 0);
	}
	return folder;
}

static char *definitions(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "kprobe_events", NULL);
	char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

static int open_kmem(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "events/kmem", NULL);

	return open(path, O_RDONLY | O_DIRECTORY);
}

Test(cache_probes, those_of_processes_that_are_no_more_are_removed)
{
	static const char *const groups[] = {
		"kmalloc_top_41/kmem_cache_alloc",      /* of one that is no more */
		"kmalloc_top_42/kmem_cache_alloc_node", /* of one that lives */
		"kmalloc_top_41/vfs_read",              /* not by us */
		"kmalloc_top_x/kmem_cache_alloc",
		"kmalloc_top_/kmem_cache_alloc",
		"kmalloc_top_43x/kmem_cache_alloc",
		"others_41/kmem_cache_alloc",
		NULL,
	};
	g_autofree char *tracefs = tracefs_new(groups);
	g_autofree char *root = temporary_folder();
	int kmem = open_kmem(tracefs);
	g_autofree char *left = NULL;

	temporary_write(root, "proc/42/comm", "", 0);
	cache_probes_clean(kmem, root);
	left = definitions(tracefs);
	cr_expect_str_eq(left, "before\n-:kmalloc_top_41/kmem_cache_alloc\n");
	close(kmem);
	temporary_remove(tracefs);
	temporary_remove(root);
}

Test(cache_probes, those_that_had_our_pid_are_of_another_process)
{
	g_autofree char *group =
		g_strdup_printf("kmalloc_top_%d/kmem_cache_alloc_lru", (int)getpid());
	const char *const groups[] = { group, NULL };
	g_autofree char *tracefs = tracefs_new(groups);
	g_autofree char *expected = g_strdup_printf("before\n-:%s\n", group);
	g_autofree char *left = NULL;
	int kmem = open_kmem(tracefs);

	cache_probes_clean(kmem, "");
	left = definitions(tracefs);
	cr_expect_str_eq(left, expected);
	close(kmem);
	temporary_remove(tracefs);
}

Test(cache_probes, a_kernel_without_kprobes_is_told_and_nothing_is_left)
{
	static const char *const groups[] = { NULL };
	g_autofree char *tracefs = tracefs_new(groups);
	g_autofree char *path = g_build_filename(tracefs, "kprobe_events", NULL);
	g_autoptr(GError) error = NULL;
	int kmem = open_kmem(tracefs);

	unlink(path);
	cr_expect_null(cache_probes_new(kmem, &error));
	cr_assert_not_null(error);
	cr_expect_null(strchr(error->message, '\n'));
	close(kmem);
	temporary_remove(tracefs);
}
