/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "collect/facts/memory_facts.h"

#include "base/clock.h"
#include "fake_host.h"
#include "leaks.h"
#include "names/host_state.h"
#include "record/batch_writer.h"
#include "render/text/render_text.h"
#include "session/session.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(memory_state);

enum { PLENTY = 1 << 20 };
#define SECOND_NS 1000000000ULL

static const char meminfo[] = "MemTotal:       24684084 kB\n"
			      "MemFree:        23894708 kB\n"
			      "MemAvailable:   24172392 kB\n"
			      "Buffers:           29192 kB\n"
			      "Cached:            29192 kB\n"
			      "SwapCached:         9999 kB\n"
			      "Active:            99999 kB\n"
			      "Inactive:          31900 kB\n"
			      "Active(anon):       1600 kB\n"
			      "Inactive(anon):    73752 kB\n"
			      "Unevictable:       16340 kB\n"
			      "AnonPages:         82800 kB\n"
			      "Shmem:              8924 kB\n"
			      "KernelStack:        1584 kB\n"
			      "PageTables:         2448 kB\n"
			      "VmallocUsed:       14408 kB\n"
			      "Percpu:              832 kB\n"
			      "AnonHugePages:         0 kB\n"
			      "Hugetlb:            4096 kB\n"
			      "KReclaimable:     154384 kB\n"
			      "Slab:             181504 kB\n"
			      "SReclaimable:     154384 kB\n"
			      "SUnreclaim:        27120 kB\n"
			      "HugePages_Free:        0\n";

/* As of Linux 6.18. */
static const char vmstat[] = "nr_free_pages 5973677\n"
			     "nr_isolated_anon 1000\n"
			     "nr_isolated_file 100\n"
			     "nr_zspages 20\n"
			     "pgfault 9000000\n"
			     "pgmajfault 2275\n"
			     "allocstall_dma 0\n"
			     "allocstall_dma32 1\n"
			     "allocstall_normal 20\n"
			     "allocstall_movable 300\n"
			     "allocstall_device 0\n"
			     "oom_kill 4\n"
			     "balloon_inflate 100\n"
			     "balloon_deflate 30\n"
			     "balloon_migrate 5\n"
			     "compact_stall 12\n";

static const char pressure[] = "some avg10=0.00 avg60=0.12 avg300=0.07 total=5123456\n"
			       "full avg10=0.00 avg60=0.10 avg300=0.06 total=4987654\n";

/* Of one node. nr_isolated_anon and nr_zspages are also in /proc/vmstat; the first is of the node.
 */
static const char zoneinfo[] = "Node 0, zone    DMA32\n"
			       "  per-node stats\n"
			       "      nr_isolated_anon 1000\n"
			       "  pages free     772808\n"
			       "      nr_free_pages 772808\n"
			       "      nr_zspages   20\n"
			       "  pagesets\n"
			       "    cpu: 0\n"
			       "              count:    5000\n"
			       "              high:     4102\n"
			       "    cpu: 1\n"
			       "              count:    38\n"
			       "Node 0, zone   Normal\n"
			       "  pages free     42346\n"
			       "  pagesets\n"
			       "    cpu: 0\n"
			       "              count: 3000\n"
			       "    cpu: 1\n"
			       "              count: 400\n";

/* Takes a reading of a host into a session, and returns its text; NULL: there is none. */
static const char *read_into(Session *session, const char *root, enum KmtReading reading)
{
	g_autoptr(GByteArray) out = g_byte_array_new();
	const GString *text;

	memory_facts_append(out, root, reading);
	made_session_feed(session, out);
	text = run_text_of(session->text, KMT_BATCH_MEMORY, reading);
	return text ? text->str : NULL;
}

static void expect_reading(const char *root, const char *wanted)
{
	g_autoptr(Session) session = session_new(PLENTY);
	const char *text = read_into(session, root, KMT_READING_START);

	cr_assert_not_null(text);
	cr_expect(eq(str, (char *)text, (char *)wanted));
}

Test(memory_state, a_reading_has_what_the_kernel_shows)
{
	g_autoptr(FakeHost) root = fake_host_new();
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	g_autofree char *wanted =
		g_strdup_printf("total_bytes 25276502016\n"
				"free_bytes 24468180992\n"
				"available_bytes 24752529408\n"
				"slab_bytes 185860096\n"
				"slab_unreclaimable_bytes 27770880\n"
				"slab_reclaimable_bytes 158089216\n"
				"vmalloc_bytes 14753792\n"
				"per_cpu_bytes 851968\n"
				"page_tables_bytes 2506752\n"
				"kernel_stacks_bytes 1622016\n"
				"huge_pages_bytes 4194304\n"
				"anonymous_bytes 84787200\n"
				"page_cache_bytes 59785216\n"
				"shared_bytes 9138176\n"
				"swap_cache_bytes 10238976\n"
				"reclaimable_bytes 158089216\n"
				"listed_bytes %" G_GUINT64_FORMAT "\n"
				"compressed_bytes %" G_GUINT64_FORMAT "\n"
				"free_on_cpus_bytes %" G_GUINT64_FORMAT "\n"
				"tcp_buffers_bytes %" G_GUINT64_FORMAT "\n"
				"balloon_bytes %" G_GUINT64_FORMAT "\n"
				"major_faults 2275\n"
				"reclaim_stalls 321\n"
				"oom_kills 4\n"
				"pressure_some_us 5123456\n"
				"pressure_full_us 4987654\n",
				151796736 + 1100 * page_bytes, 20 * page_bytes, 8438 * page_bytes,
				33 * page_bytes, 70 * page_bytes);

	fake_host_write(root, "proc/meminfo", meminfo);
	fake_host_write(root, "proc/zoneinfo", zoneinfo);
	fake_host_write(root, "proc/vmstat", vmstat);
	fake_host_write(root, "proc/pressure/memory", pressure);
	fake_host_write(root, "proc/net/sockstat",
			"sockets: used 14\nTCP: inuse 1 orphan 0 tw 110 alloc 1 mem 33\n"
			"UDP: inuse 0 mem 7\n");
	expect_reading(root, wanted);
}

/* A balance needs to know what else there is. Root reads addresses; the others are 0. */
Test(memory_state, a_reading_for_a_balance_has_the_ram_and_where_stacks_are)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(GByteArray) out = g_byte_array_new();
	MemoryLayout layout = memory_layout_read(root);
	HostState state;

	fake_host_write(root, "proc/meminfo", "MemTotal: 9 kB\nKernelStack: 1584 kB\n");
	memory_facts_append_balance(out, root, KMT_READING_START, &layout);
	fake_host_write(root, "proc/kallsyms",
			"ffffffff8135b7f0 T copy_process\n"
			"ffffffff8135b810 t free_vm_stack_cache\nffffffff8135b820 t x\n");
	fake_host_write(root, "proc/iomem",
			"00000000-00000fff : Reserved\n00001000-00001fff : System RAM\n"
			"  00001000-000010ff : Kernel code\n00000000-00000000 : System RAM\n"
			"100000000-100002fff : System RAM\n");
	layout = memory_layout_read(root);
	memory_facts_append_balance(out, root, KMT_READING_END, &layout);
	made_session_feed(session, out);
	state = host_state_parse(run_text_of(session->text, KMT_BATCH_MEMORY, KMT_READING_START));
	cr_expect(not(state.known[HOST_RAM]));
	cr_expect(eq(u64, state.numbers[HOST_STACKS_IN_VMALLOC], 0));
	state = host_state_parse(run_text_of(session->text, KMT_BATCH_MEMORY, KMT_READING_END));
	cr_expect(eq(u64, state.numbers[HOST_RAM], 0x1000 + 0x3000));
	cr_expect(eq(u64, state.numbers[HOST_STACKS_IN_VMALLOC], 1584 * 1024));
}

/* The figure of Linux 6.16 and later counts more drivers than the events. A driver of virtio that
   may give pages back when memory is short, the third feature, leaves them in MemTotal. */
Test(memory_state, a_balloon_is_known_by_its_size_and_its_driver)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(GByteArray) out = g_byte_array_new();
	MemoryLayout layout;
	HostState state;

	fake_host_write(root, "proc/meminfo", "MemTotal: 9 kB\nBalloon: 8 kB\n");
	fake_host_write(root, "proc/vmstat", "balloon_inflate 9\nballoon_deflate 4\n");
	fake_host_write(root, "sys/bus/virtio/drivers/virtio_balloon/virtio2/features",
			"0100010000\n");
	layout = memory_layout_read(root);
	memory_facts_append_balance(out, root, KMT_READING_START, &layout);
	fake_host_write(root, "sys/bus/virtio/drivers/virtio_balloon/virtio2/features",
			"0110010000\n");
	layout = memory_layout_read(root);
	memory_facts_append_balance(out, root, KMT_READING_END, &layout);
	made_session_feed(session, out);
	state = host_state_parse(run_text_of(session->text, KMT_BATCH_MEMORY, KMT_READING_START));
	cr_expect(eq(u64, state.numbers[HOST_BALLOON], 8192));
	cr_expect(eq(u64, state.numbers[HOST_BALLOON_IN_TOTAL], 0));
	cr_expect(eq(u64, host_state_balloon_outside_total(&state), 8192));
	state = host_state_parse(run_text_of(session->text, KMT_BATCH_MEMORY, KMT_READING_END));
	cr_expect(eq(u64, state.numbers[HOST_BALLOON_IN_TOTAL], 8192));
	cr_expect(eq(u64, host_state_balloon_outside_total(&state), 0));
}

/* Linux 3.10, and a kernel that was started with psi=0: its file exists, but cannot be read. */
Test(memory_state, what_a_kernel_lacks_is_left_out)
{
	g_autoptr(FakeHost) root = fake_host_new();

	fake_host_write(root, "proc/vmstat", "pgmajfault 7\nallocstall 9\npgrotated 5\n");
	expect_reading(root, "major_faults 7\nreclaim_stalls 9\n");
	fake_host_write(root, "proc/meminfo", "MemTotal: kB\nMemFree: 5 kB\nSlab\n");
	fake_host_add_folder(root, "proc/pressure/memory");
	expect_reading(root, "free_bytes 5120\nmajor_faults 7\nreclaim_stalls 9\n");
}

Test(memory_state, a_host_that_shows_nothing_adds_nothing)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(GByteArray) out = g_byte_array_new();

	memory_facts_append(out, root, KMT_READING_START);
	cr_expect(eq(u32, out->len, 0));
}

Test(memory_state, this_host_shows_its_memory)
{
	g_autoptr(Session) session = session_new(PLENTY);
	uint64_t before_ns = clock_monotonic_ns(), read_ns;
	HostState state;

	if (!read_into(session, "", KMT_READING_END))
		cr_skip_test("there is no /proc/meminfo");
	state = host_state_parse(run_text_of(session->text, KMT_BATCH_MEMORY, KMT_READING_END));
	cr_expect(state.known[HOST_MEMORY_FREE]);
	cr_expect(lt(u64, state.numbers[HOST_MEMORY_FREE], state.numbers[HOST_MEMORY_TOTAL]));
	cr_expect(ge(u64, state.numbers[HOST_SLAB], state.numbers[HOST_SLAB_UNRECLAIMABLE]));
	read_ns = run_text_time_ns(session->text, KMT_BATCH_MEMORY, KMT_READING_END);
	cr_expect(ge(u64, read_ns, before_ns));
	cr_expect(le(u64, read_ns, clock_monotonic_ns()));
}

static HostState parsed(const char *text, size_t length)
{
	g_autoptr(GString) copy = g_string_new_len(text, (gssize)length);

	return host_state_parse(copy);
}

Test(memory_state, lines_of_another_form_are_skipped)
{
	static const char text[] = "\nfree_bytes\nfree_bytes \nfree_bytes -1\nfree_bytes 0x10\n"
				   "free_bytes 1 2\nfree_bytes 99999999999999999999\n"
				   "free_bytes 18446744073709551615\nfree_bytes 1\0 2\n"
				   "free_bytesx 3\n free_bytes\t12\nfree_bytes 13\noom_kills 5";
	HostState state = parsed(text, sizeof(text) - 1);

	cr_expect(state.known[HOST_MEMORY_FREE]);
	cr_expect(eq(u64, state.numbers[HOST_MEMORY_FREE], 12));
	cr_expect(eq(u64, state.numbers[HOST_OOM_KILLS], 5));
	cr_expect(not(state.known[HOST_SLAB]));
	state = host_state_parse(NULL);
	cr_expect(not(state.known[HOST_MEMORY_FREE]));
}

/* Returns what a report says after two readings, 10 s apart; end may be NULL. The caller frees it.
 */
static char *report_of(const char *start, const char *end)
{
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(GByteArray) out = g_byte_array_new();
	g_autoptr(Facts) facts = NULL;
	GString *text = g_string_new(NULL);

	batch_write_reading(out, KMT_BATCH_MEMORY, KMT_READING_START, SECOND_NS, start,
			    strlen(start));
	if (end)
		batch_write_reading(out, KMT_BATCH_MEMORY, KMT_READING_END, 11 * SECOND_NS, end,
				    strlen(end));
	made_session_feed(session, out);
	facts = facts_new(session, true);
	append_memory_state(text, facts);
	return g_string_free(text, FALSE);
}

static void expect_report(const char *start, const char *end, const char *wanted)
{
	g_autofree char *text = report_of(start, end);

	cr_expect(eq(str, text, (char *)wanted));
}

Test(memory_state, amounts_that_read_the_same_are_shown_once)
{
	expect_report("free_bytes 16213501540\nslab_bytes 325058560\n",
		      "free_bytes 16213501000\nslab_bytes 325058561\n",
		      "free 15.1 GiB, slab 310 MiB");
	expect_report("free_bytes 16535624090\n", "free_bytes 16213501540\n",
		      "free 15.4 -> 15.1 GiB");
	expect_report("free_bytes 16535624090\n", "free_bytes 1048576\n",
		      "free 15.4 GiB -> 1.0 MiB");
	expect_report("slab_bytes 325058560\nslab_unreclaimable_bytes 1024\n",
		      "slab_bytes 325058560\nslab_unreclaimable_bytes 2048\n",
		      "slab 310 MiB (1.0 -> 2.0 KiB unreclaimable)");
	expect_report("slab_bytes 325058560\nslab_unreclaimable_bytes 199229440\n",
		      "slab_bytes 325058560\nslab_unreclaimable_bytes 199229440\n",
		      "slab 310 MiB (190 unreclaimable)");
}

Test(memory_state, a_run_that_has_not_ended_shows_its_start)
{
	expect_report("free_bytes 1048576\nmajor_faults 5\npressure_some_us 9\n", NULL,
		      "free 1.0 MiB");
	expect_report("major_faults 5\n", NULL, "");
}

Test(memory_state, counters_show_what_was_added)
{
	expect_report("major_faults 5\nreclaim_stalls 7\noom_kills 1\npressure_some_us 0\n",
		      "major_faults 1239\nreclaim_stalls 7\noom_kills 2\npressure_some_us 120000\n",
		      "PSI some 1.2 %, major faults +1,234, host reclaim stalls 0, OOM kills +1");
	/* More than the whole time. */
	expect_report("pressure_some_us 0\n", "pressure_some_us 10000001\n", "PSI some 100 %");
}

Test(memory_state, a_counter_that_one_reading_lacks_or_that_went_back_is_unknown)
{
	expect_report("major_faults 5\noom_kills 4\nfree_bytes 1024\npressure_some_us 8\n",
		      "oom_kills 3\nreclaim_stalls 7\nfree_bytes 1024\npressure_some_us 7\n",
		      "free 1.0 KiB");
}

Test(memory_state, pages_in_the_lists_of_cpus_are_free_and_available)
{
	static const char text[] = "total_bytes 100000\nfree_bytes 20000\navailable_bytes 50000\n"
				   "free_on_cpus_bytes 3000\n";
	HostState state = parsed(text, sizeof(text) - 1);

	cr_expect(eq(u64, state.numbers[HOST_MEMORY_FREE], 23000));
	cr_expect(eq(u64, state.numbers[HOST_MEMORY_AVAILABLE], 53000));
	expect_report("total_bytes 17179869184\nfree_bytes 16213501540\n",
		      "total_bytes 17179869184\nfree_bytes 16113501540\n"
		      "free_on_cpus_bytes 100000000\n",
		      "free 15.1 GiB");
}

/* In a container, where /proc/meminfo is that of the container. */
Test(memory_state, pages_of_another_host_are_not_free_here)
{
	static const char text[] = "total_bytes 1000\nfree_bytes 900\nfree_on_cpus_bytes 101\n";
	HostState state = parsed(text, sizeof(text) - 1);

	cr_expect(eq(u64, state.numbers[HOST_MEMORY_FREE], 900));
	state = parsed(text, strcspn(text, "0"));
	cr_expect(not(state.known[HOST_MEMORY_FREE]));
}

/* A host whose memory is used so, in MiB. */
typedef struct {
	uint64_t free, on_cpus, anonymous, cache, listed, slab, tables, stacks, huge, compressed;
	uint64_t total;
} Used;

static HostState host_of(const Used *used)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const uint64_t mib = 1 << 20;

	g_string_printf(text,
			"total_bytes %" G_GUINT64_FORMAT "\nfree_bytes %" G_GUINT64_FORMAT "\n"
			"free_on_cpus_bytes %" G_GUINT64_FORMAT "\n"
			"anonymous_bytes %" G_GUINT64_FORMAT "\n"
			"page_cache_bytes %" G_GUINT64_FORMAT "\n"
			"listed_bytes %" G_GUINT64_FORMAT "\nslab_bytes %" G_GUINT64_FORMAT "\n"
			"page_tables_bytes %" G_GUINT64_FORMAT "\n"
			"kernel_stacks_bytes %" G_GUINT64_FORMAT "\n"
			"huge_pages_bytes %" G_GUINT64_FORMAT "\n"
			"compressed_bytes %" G_GUINT64_FORMAT "\n",
			(4096 + used->total) * mib, used->free * mib, used->on_cpus * mib,
			used->anonymous * mib, used->cache * mib, used->listed * mib,
			used->slab * mib, used->tables * mib, used->stacks * mib, used->huge * mib,
			used->compressed * mib);
	return host_state_parse(text);
}

static const struct {
	const char *name;
	Used start, end;
	int64_t taken; /* MiB */
} uses[] = {
	{ "nothing", { .free = 1000 }, { .free = 1000 }, 0 },
	{ "pages for pipes", { .free = 1000 }, { .free = 900 }, 100 },
	{ "and back", { .free = 900 }, { .free = 1000 }, -100 },
	{ "free pages go to lists of CPUs", { .free = 1000 }, { .free = 946, .on_cpus = 54 }, 0 },
	{ "free pages come back from there", { .free = 900, .on_cpus = 99 }, { .free = 999 }, 0 },
	{ "a program's heap, with its page tables, from free pages of a CPU",
	  { .free = 1000, .on_cpus = 137 },
	  { .free = 736, .anonymous = 400, .listed = 400, .tables = 1 },
	  0 },
	{ "a program's heap that is in no list yet",
	  { .free = 1000 },
	  { .free = 600, .anonymous = 400, .listed = 399 },
	  0 },
	{ "a program that ends: in the lists until it is free",
	  { .free = 600, .anonymous = 364, .listed = 400 },
	  { .free = 1000 },
	  0 },
	{ "files", { .free = 1000 }, { .free = 700, .cache = 300, .listed = 300 }, 0 },
	{ "a program that is swapped out: in the swap cache alone",
	  { .free = 10, .anonymous = 900, .listed = 900 },
	  { .free = 110, .anonymous = 500, .listed = 800 },
	  0 },
	{ "and compressed",
	  { .free = 10, .anonymous = 900, .listed = 900 },
	  { .free = 610, .listed = 0, .compressed = 300 },
	  0 },
	{ "slab caches", { .free = 1000, .slab = 5 }, { .free = 800, .slab = 205 }, 0 },
	{ "threads", { .free = 1000, .stacks = 5 }, { .free = 980, .stacks = 25 }, 0 },
	{ "huge pages are set aside", { .free = 1000 }, { .free = 500, .huge = 500 }, 0 },
	{ "memory that is added", { .free = 1000 }, { .free = 2024, .total = 1024 }, 0 },
};

Test(memory_state, nothing_free_and_nothing_of_programs_and_files_is_taken_by_the_kernel)
{
	for (size_t i = 0; i < G_N_ELEMENTS(uses); i++) {
		HostState start = host_of(&uses[i].start), end = host_of(&uses[i].end);
		int64_t taken = host_state_taken_outside_slab(&start, &end);

		cr_expect_eq(taken, uses[i].taken * (1 << 20), "%s: %" PRId64 " bytes",
			     uses[i].name, taken);
	}
}

Test(memory_state, what_only_one_reading_has_is_no_difference)
{
	const Used used = { .free = 1000, .on_cpus = 50, .anonymous = 5 };
	HostState start = host_of(&used), end = host_of(&(Used){ .free = 10 });

	end.known[HOST_MEMORY_FREE_ON_CPUS] = false;
	cr_expect(eq(i64, host_state_taken_outside_slab(&start, &end), 0));
	start = host_state_parse(NULL);
	end = start;
	cr_expect(eq(i64, host_state_taken_outside_slab(&start, &end), 0));
}
