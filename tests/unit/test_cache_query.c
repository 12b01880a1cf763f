/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/cache_query.h"

#include "cache_hosts.h"
#include "collect/run/collector.h"
#include "leaks.h"

#include <gio/gio.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(cache_query);

#define ADVICE "none is near"

static CacheQuery *resolved(const char *host, const char *argument, GError **error)
{
	g_autoptr(CacheList) list = cache_hosts_list(host);
	g_autoptr(CacheQuery) query = cache_query_new(argument, error);

	if (!query || !cache_query_resolve(query, list, ADVICE, error))
		return NULL;
	return g_steal_pointer(&query);
}

static void expect_error(char **row, const GError *error)
{
	g_auto(GStrv) nearest = g_strsplit(row[2] + 1, " ", -1);

	cr_assert_not_null(error, "%s: %s: no error", row[0], row[1]);
	cr_expect(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND));
	cr_expect_null(strchr(error->message, '\n'));
	cr_expect_not_null(strstr(error->message, row[1]), "%s", error->message);
	for (char **name = nearest; *name; name++)
		cr_expect_not_null(strstr(error->message, *name), "%s: %s", row[0], error->message);
}

static void expect_matched(char **row, const CacheQuery *query)
{
	g_auto(GStrv) wanted = g_strsplit(row[2], " ", -1);
	GPtrArray *matched = cache_query_matched(query);

	cr_expect_eq(matched->len, g_strv_length(wanted), "%s: %s: %u matched", row[0], row[1],
		     matched->len);
	for (guint i = 0; i < matched->len; i++) {
		const char *name = g_ptr_array_index(matched, i);

		cr_expect(g_strv_contains((const char *const *)wanted, name), "%s: %s: %s", row[0],
			  row[1], name);
		cr_expect(cache_query_wants(query, name));
		cr_expect_eq(cache_query_index(query, name), i);
	}
}

static void check_spelling(char **row)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(CacheQuery) query = resolved(row[0], row[1], &error);

	if (row[2][0] == '!') {
		expect_error(row, error);
		return;
	}
	cr_assert_null(error, "%s: %s: %s", row[0], row[1], error ? error->message : "");
	expect_matched(row, query);
}

Test(cache_query, spellings_of_many_kernels)
{
	cr_expect_geq(cache_hosts_table("spellings", 3, check_spelling), 40);
}

Test(cache_query, another_class_of_the_same_size_is_not_wanted)
{
	g_autoptr(CacheQuery) query = resolved("5.14-rhel9", "kmalloc-192", NULL);

	cr_expect(cache_query_wants(query, "kmalloc-192"));
	cr_expect_not(cache_query_wants(query, "kmalloc-cg-192"));
	cr_expect_not(cache_query_wants(query, "kmalloc-rcl-192"));
	cr_expect_eq(cache_query_index(query, "kmalloc-cg-192"), -1);
}

Test(cache_query, each_name_of_a_merged_cache_is_wanted)
{
	g_autoptr(CacheQuery) query = resolved("3.10-rhel7", "sgpool-8", NULL);

	cr_expect(cache_query_wants(query, "kmalloc-256"));
	cr_expect(cache_query_wants(query, "skbuff_head_cache"));
	cr_expect_eq(cache_query_index(query, "skbuff_head_cache"), 0);
	cr_expect_str_eq(cache_query_alias(query, 0), "sgpool-8");
}

static char *kernel_names(const char *host, const char *argument)
{
	g_autoptr(CacheQuery) query = resolved(host, argument, NULL);
	char **names = cache_query_kernel_names(query);

	cr_expect(!names || g_strv_length(names) <= COLLECT_CACHES_MAX);
	return names ? g_strjoinv(" ", names) : g_strdup("too many");
}

Test(cache_query, the_kernel_is_given_the_names_that_it_has)
{
	static const char *const cases[][3] = {
		/* slabinfo has the name of the structure. */
		{ "6.18", "rtable", "file_lock_cache" },
		{ "6.18", "size-1024,dentry(12:cg)", "kmalloc-1k dentry" },
		{ "6.12-rhel10", "kmalloc-rnd-*-192",
		  "kmalloc-rnd-01-192 kmalloc-rnd-02-192 kmalloc-rnd-03-192 kmalloc-rnd-04-192 "
		  "kmalloc-rnd-05-192 kmalloc-rnd-06-192 kmalloc-rnd-07-192 kmalloc-rnd-08-192 "
		  "kmalloc-rnd-09-192 kmalloc-rnd-10-192 kmalloc-rnd-11-192 kmalloc-rnd-12-192 "
		  "kmalloc-rnd-13-192 kmalloc-rnd-14-192 kmalloc-rnd-15-192" },
		{ "6.12-rhel10", "kmalloc-rnd-*", "too many" },
		{ "-", "kmalloc-1024", "kmalloc-1024 kmalloc-1k size-1024" },
		{ "-", "kmalloc-*", "too many" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *names = kernel_names(cases[i][0], cases[i][1]);

		cr_expect_str_eq(names, cases[i][2], "%s: %s", cases[i][1], names);
	}
}

/* At the bound, and one more. */
Test(cache_query, at_most_16_names_go_to_the_kernel)
{
	GString *text = g_string_new(NULL);

	for (int count = 1; count <= COLLECT_CACHES_MAX + 1; count++) {
		g_autoptr(CacheQuery) query = cache_query_new("cache-*", NULL);
		g_autoptr(CacheList) list = NULL;

		g_string_append_printf(text, "cache-%d\n", count);
		list = cache_list_new(text, NULL);
		cr_assert(cache_query_resolve(query, list, ADVICE, NULL));
		cr_expect_eq(cache_query_kernel_names(query) != NULL, count <= COLLECT_CACHES_MAX,
			     "%d", count);
	}
	g_string_free(text, TRUE);
}

Test(cache_query, without_slabinfo_any_name_may_be_the_kernels)
{
	GString *text = g_string_new("aio_kiocb\tfile_lock_cache\trtable\n");
	g_autoptr(CacheList) list = cache_list_new(text, NULL);
	g_autoptr(CacheQuery) query = cache_query_new("rtable", NULL);
	g_autofree char *names = NULL;

	cr_assert(cache_query_resolve(query, list, ADVICE, NULL));
	names = g_strjoinv(" ", cache_query_kernel_names(query));
	cr_expect_str_eq(names, "aio_kiocb file_lock_cache rtable");
	g_string_free(text, TRUE);
}

Test(cache_query, names_are_taken_as_given_where_no_list_is)
{
	g_autoptr(CacheQuery) query = resolved("-", "size-1024,kmalloc-*-2k,own", NULL);

	cr_expect(cache_query_wants(query, "kmalloc-1k"));
	cr_expect(cache_query_wants(query, "kmalloc-1024"));
	cr_expect(cache_query_wants(query, "kmalloc-rcl-2048"));
	cr_expect(cache_query_wants(query, "own"));
	cr_expect_not(cache_query_wants(query, "kmalloc-cg-1k"));
}

Test(cache_query, a_cache_that_was_created_since_is_wanted_by_its_glob)
{
	g_autoptr(CacheQuery) query = resolved("6.18", "xfs_*", NULL);

	cr_expect(cache_query_wants(query, "xfs_of_tomorrow"));
	cr_expect_eq(cache_query_index(query, "xfs_of_tomorrow"), -1);
	cr_expect_not(cache_query_wants(query, "ext4_of_tomorrow"));
}

Test(cache_query, a_query_of_nothing_is_an_error_of_the_options)
{
	static const char *const arguments[] = { "", ",", " , " };

	for (size_t i = 0; i < G_N_ELEMENTS(arguments); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_null(cache_query_new(arguments[i], &error));
		cr_expect(g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE));
	}
}

Test(cache_query, a_glob_matches_many)
{
	g_autoptr(CacheQuery) query = resolved("6.18", "kmalloc-*", NULL);
	const GPtrArray *matched = cache_query_matched(query);

	cr_assert_eq(matched->len, 40);
	cr_expect_str_eq(matched->pdata[0], "kmalloc-8");
}

/* Names come from recordings, too. */
Test(cache_query, names_are_printed_escaped)
{
	GString *text = g_string_new("\033[2J\tevil\n");
	g_autoptr(CacheList) list = cache_list_new(text, NULL);
	g_autoptr(CacheQuery) query = cache_query_new("evil", NULL);
	g_autoptr(CacheQuery) other = cache_query_new("evul", NULL);
	g_autoptr(GError) error = NULL;

	cr_assert(cache_query_resolve(query, list, ADVICE, NULL));
	cr_expect(cache_query_wants(query, "\\x1b[2J"));
	cr_expect(cache_query_wants(query, "\033[2J"));
	cr_expect_not(cache_query_resolve(other, list, ADVICE, &error));
	cr_expect_null(strchr(error->message, '\033'));
	g_string_free(text, TRUE);
}

Test(cache_query, where_no_name_is_near_there_is_advice)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(resolved("6.18", "zzzzzzzz", &error));
	cr_expect_str_eq(error->message, "no slab cache is called 'zzzzzzzz'; " ADVICE);
}

Test(cache_query, the_nearest_names_are_at_most_5_and_the_best_first)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(resolved("6.18", "kmaloc-192", &error));
	cr_expect_str_eq(error->message,
			 "no slab cache is called 'kmaloc-192'; nearest: kmalloc-192, kmalloc-128, "
			 "kmalloc-16, kmalloc-1k, kmalloc-32");
}
