/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "collect/facts/memory_facts.h"

#include "base/clock.h"
#include "fake_host.h"
#include "leaks.h"
#include "session/session.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(slab_facts);

enum { PLENTY = 1 << 20, MANY_LINES = 200000 };

static void add_folder(const char *root, const char *name)
{
	g_autofree char *path = g_build_filename("sys/kernel/slab", name, NULL);

	fake_host_add_folder(root, path);
}

static void add_link(const char *root, const char *name, const char *target)
{
	g_autofree char *path = g_build_filename("sys/kernel/slab", name, NULL);

	fake_host_add_link(root, path, target);
}

static void expect_names(const char *root, const char *wanted)
{
	GString *names = slab_facts_names(root);

	cr_assert_not_null(names);
	cr_expect_str_eq(names->str, wanted, "%s", names->str);
	g_string_free(names, TRUE);
}

Test(slab_facts, links_to_one_folder_are_the_names_of_one_cache)
{
	g_autoptr(FakeHost) root = fake_host_new();

	add_folder(root, ":0000192");
	add_folder(root, ":a-0000104");
	add_folder(root, ":0000512");
	add_folder(root, "kmalloc-192");
	add_folder(root, "dentry(12:user.slice)");
	add_link(root, "rtable", ":0000192");
	add_link(root, "file_lock_cache", ":0000192");
	add_link(root, "buffer_head", "../slab/:a-0000104");
	add_link(root, "evil\nname", ":0000192");
	add_link(root, "evil\tname", ":0000192");
	expect_names(root, "file_lock_cache\trtable\nbuffer_head\ndentry(12:user.slice)\n"
			   "kmalloc-192\n");
}

Test(slab_facts, a_host_without_facts_adds_nothing)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(GByteArray) out = g_byte_array_new();

	slab_facts_append(out, root, KMT_READING_START);
	slab_facts_append(out, root, KMT_READING_END);
	cr_expect_eq(out->len, 0);
	add_folder(root, ":0000192");
	cr_expect_null(slab_facts_names(root));
	fake_host_write(root, "proc/slabinfo", "");
	cr_expect_null(slab_facts_slabinfo(root));
}

Test(slab_facts, both_readings_come_out_of_the_stream_with_their_times)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(GByteArray) out = g_byte_array_new();
	g_autoptr(Session) session = session_new(PLENTY);
	uint64_t before_ns = clock_monotonic_ns(), first_ns, second_ns;

	add_folder(root, "filp");
	fake_host_write(root, "proc/slabinfo", "filp 1\n");
	slab_facts_append(out, root, KMT_READING_START);
	fake_host_write(root, "proc/slabinfo", "filp 2\n");
	slab_facts_append(out, root, KMT_READING_END);
	made_session_feed(session, out);
	cr_expect_str_eq(run_text_of(session->text, KMT_BATCH_CACHE_NAMES, 0)->str, "filp\n");
	cr_expect_str_eq(run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_START)->str,
			 "filp 1\n");
	cr_expect_str_eq(run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_END)->str,
			 "filp 2\n");
	first_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);
	second_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END);
	cr_expect_geq(first_ns, before_ns);
	cr_expect_gt(second_ns, first_ns);
	cr_expect_leq(second_ns, clock_monotonic_ns());
}

Test(slab_facts, a_text_without_end_is_cut_after_a_line)
{
	g_autoptr(FakeHost) root = fake_host_new();
	GString *text = g_string_new(NULL), *read;

	for (int i = 0; i < MANY_LINES; i++)
		g_string_append(text, "some slab cache with its numbers 1 2 3\n");
	fake_host_write(root, "proc/slabinfo", text->str);
	read = slab_facts_slabinfo(root);
	cr_expect_lt(read->len, text->len);
	cr_expect_gt(read->len, 4000000);
	cr_expect_eq(read->str[read->len - 1], '\n');
	g_string_free(read, TRUE);
	g_string_free(text, TRUE);
}

/* It happens while the probes are live. A busy host takes longer now and then. */
Test(slab_facts, the_names_of_this_host_are_read_at_once)
{
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		uint64_t start_ns = clock_monotonic_ns();
		GString *names = slab_facts_names("");

		if (!names)
			cr_skip_test("this kernel has no /sys/kernel/slab");
		g_string_free(names, TRUE);
		best_ns = MIN(best_ns, clock_monotonic_ns() - start_ns);
	}
	cr_expect_lt(best_ns, 50000000);
}

static void set_capacity(const char *root, const char *cache, const char *text)
{
	g_autofree char *path = g_build_filename("sys/kernel/slab", cache, "sheaf_capacity", NULL);

	fake_host_write(root, path, text);
}

/* Three of each CPU, and ten of each of two nodes. */
Test(slab_facts, the_start_says_what_sheaves_hold_at_most)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(GByteArray) out = g_byte_array_new();
	long cpus = MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
	g_autofree char *wanted =
		g_strdup_printf("slabinfo\n# sheaves: %ld maple node\n", 32 * (3 * cpus + 20));

	fake_host_add_folder(root, "sys/devices/system/node/node0");
	fake_host_add_folder(root, "sys/devices/system/node/node12");
	fake_host_add_folder(root, "sys/devices/system/node/power");
	set_capacity(root, "maple node", "32\n");
	set_capacity(root, "dentry", "0\n");
	set_capacity(root, "evil\nname", "60\n");
	add_folder(root, "filp");
	fake_host_write(root, "proc/slabinfo", "slabinfo\n");
	slab_facts_append(out, root, KMT_READING_START);
	slab_facts_append(out, root, KMT_READING_END);
	made_session_feed(session, out);
	cr_expect_str_eq(run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_START)->str,
			 wanted);
	cr_expect_str_eq(run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_END)->str,
			 "slabinfo\n");
}
