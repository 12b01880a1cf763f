/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/memory_facts.h"

#include "base/clock.h"
#include "fake_host.h"
#include "leaks.h"
#include "names/host_state.h"
#include "record/batch_writer.h"
#include "render/text/render_text.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(memory_state);

enum { PLENTY = 1 << 20 };
#define SECOND_NS 1000000000ULL

static const char meminfo[] = "MemTotal:       24684084 kB\n"
			      "MemFree:        23894708 kB\n"
			      "MemAvailable:   24172392 kB\n"
			      "Buffers:           29192 kB\n"
			      "KReclaimable:     154384 kB\n"
			      "Slab:             181504 kB\n"
			      "SReclaimable:     154384 kB\n"
			      "SUnreclaim:        27120 kB\n"
			      "HugePages_Free:        0\n";

/* As of Linux 6.18. */
static const char vmstat[] = "nr_free_pages 5973677\n"
			     "pgfault 9000000\n"
			     "pgmajfault 2275\n"
			     "allocstall_dma 0\n"
			     "allocstall_dma32 1\n"
			     "allocstall_normal 20\n"
			     "allocstall_movable 300\n"
			     "allocstall_device 0\n"
			     "oom_kill 4\n"
			     "compact_stall 12\n";

static const char pressure[] = "some avg10=0.00 avg60=0.12 avg300=0.07 total=5123456\n"
			       "full avg10=0.00 avg60=0.10 avg300=0.06 total=4987654\n";

/* Takes a reading of a host into a session, and returns its text; NULL: there is none. */
static const char *read_into(Session *session, const char *root, enum KmtReading reading)
{
	g_autoptr(GByteArray) out = g_byte_array_new();
	const GString *text;

	memory_facts_append(out, root, reading);
	session_feed(session, out->data, out->len);
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

	fake_host_write(root, "proc/meminfo", meminfo);
	fake_host_write(root, "proc/vmstat", vmstat);
	fake_host_write(root, "proc/pressure/memory", pressure);
	expect_reading(root, "total_bytes 25276502016\n"
			     "free_bytes 24468180992\n"
			     "available_bytes 24752529408\n"
			     "slab_bytes 185860096\n"
			     "slab_unreclaimable_bytes 27770880\n"
			     "major_faults 2275\n"
			     "reclaim_stalls 321\n"
			     "oom_kills 4\n"
			     "pressure_some_us 5123456\n"
			     "pressure_full_us 4987654\n");
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
	session_feed(session, out->data, out->len);
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
		      "PSI some 1.2 %, major faults +1,234, reclaim stalls 0, OOM kills +1");
	/* More than the whole time. */
	expect_report("pressure_some_us 0\n", "pressure_some_us 10000001\n", "PSI some 100 %");
}

Test(memory_state, a_counter_that_one_reading_lacks_or_that_went_back_is_unknown)
{
	expect_report("major_faults 5\noom_kills 4\nfree_bytes 1024\npressure_some_us 8\n",
		      "oom_kills 3\nreclaim_stalls 7\nfree_bytes 1024\npressure_some_us 7\n",
		      "free 1.0 KiB");
}
