/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "render/formats/renderers.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "session/losses.h"
#include "record/batch_writer.h"
#include "base/number_text.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(report_text);

enum { PLENTY = 64 << 20 };

static const uint64_t second = 1000 * 1000 * 1000;

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000200 T __kmalloc\n"
			       "ffffffff81000300 T alpha\n"
			       "ffffffff81000400 T tcp_beta\n"
			       "ffffffff81001000 T _etext\n";

static const uint32_t alpha[] = { 0x81000210, 0x81000310 };
static const uint32_t tcp_beta[] = { 0x81000210, 0x81000410 };

static const InfoField host_fields[] = {
	{ KMT_FIELD_MONOTONIC_NS, 1000000000, NULL },
	{ KMT_FIELD_REALTIME_NS, 1795232359000000000, NULL },
	{ KMT_FIELD_HOST, 0, "www1" },
	{ KMT_FIELD_RELEASE, 0, "6.12.48" },
	{ KMT_FIELD_ARCH, 0, "x86_64" },
	{ KMT_FIELD_CPUS_ONLINE, 4, NULL },
	{ KMT_FIELD_STACK_DEPTH, 64, NULL },
	{ KMT_FIELD_SCOPE, 0, "window" },
	{ KMT_FIELD_COVERED, 0, "kmalloc, kmalloc_node" },
	{ KMT_FIELD_NOT_COVERED, 0, "kmem_cache_alloc_bulk" },
	{ KMT_FIELD_PROGRAM, 0, "kmalloc-top 0.1" },
	{ KMT_FIELD_COLLECTOR, 0, "SystemTap 5.6" },
	{ KMT_FIELD_COMMAND_LINE, 0, "kmalloc-top -t 3 -c 'find /usr'" },
	{ KMT_FIELD_COMMAND, 0, "find /usr" },
	{ KMT_FIELD_COMMAND_STATUS, 3 << 8, NULL },
	{ KMT_FIELD_RUN_START_NS, 1000000000, NULL },
	{ KMT_FIELD_RUN_END_NS, 13345000000, NULL },
};

/* alpha: 1,500 of httpd and 1,000 of softirqs; tcp_beta: 500 of httpd; one failed. */
static void write_events(GByteArray *stream, uint32_t number, uint64_t lost_before)
{
	EventBatch batch = event_batch_begin(stream, 2, number, second);
	uint16_t origin;

	event_batch_heartbeat(&batch, second, 0, 0);
	event_batch_task(&batch, 2211, "httpd");
	origin = event_batch_origin(&batch, alpha, 2, 100, 128);
	for (unsigned i = 0; i < 2500; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, i,
				  i < 1500 ? KMT_CONTEXT_TASK : KMT_CONTEXT_SOFTIRQ, 0x1000);
	origin = event_batch_origin(&batch, tcp_beta, 2, 1000, 1024);
	for (unsigned i = 0; i < 501; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, i, KMT_CONTEXT_TASK, i);
	event_batch_heartbeat(&batch, 13 * second, 0, second / 10);
	event_batch_header(&batch)->left_out_self = 1204;
	event_batch_header(&batch)->left_out_interrupt = 17;
	event_batch_end(&batch, event_batch_header(&batch)->events + lost_before);
}

static Session *host_session(uint64_t lost)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();

	stream_add_text(stream, KMT_BATCH_SYMBOLS, kallsyms);
	batch_write_info(stream, host_fields, G_N_ELEMENTS(host_fields));
	write_events(stream, 0, lost);
	return made_session_new(stream);
}

static void add_field(Session *session, uint16_t id, uint64_t number, const char *text)
{
	made_session_feed_facts(session, &(InfoField){ id, number, text }, 1);
}

/* What the command line would have asked for. */
typedef struct {
	const char *minimum, *exclude;
	uint64_t top; /* 0: all */
	bool quiet, details, no_host, human;
	const char *by; /* NULL: stacks */
} Wish;

static void add_filter(GPtrArray *filters, const char *option, const char *argument)
{
	if (argument)
		g_ptr_array_add(filters, filter_new(filter_type_lookup(option), argument, NULL));
}

/* Returns the report; the caller frees it. */
static char *report_of(const Session *session, const Wish *wish)
{
	g_autoptr(GPtrArray) filters = g_ptr_array_new_with_free_func((GDestroyNotify)filter_free);
	ViewOptions options = { .filters = filters,
				.sort = &metrics[METRIC_ALLOCATIONS],
				.top = wish->top ? wish->top : UINT64_MAX };
	ReportSource source = { .session = session,
				.options = &options,
				.exclude = wish->exclude,
				.quiet = wish->quiet,
				.details = wish->details,
				.human = wish->human,
				.show_host = !wish->no_host };
	g_autoptr(View) view = NULL;

	add_filter(filters, "min-count", wish->minimum);
	add_filter(filters, "exclude", wish->exclude);
	if (wish->by)
		cr_assert(dimensions_parse(wish->by, false, options.by, NULL));
	view = made_view(session, &options);
	source.view = view;
	return made_report(REPORT_STACKS, &source, &renderers[0]);
}

static void expect_report(const Session *session, const Wish *wish, const char *wanted)
{
	g_autofree char *report = report_of(session, wish);

	cr_expect_str_eq(report, wanted, "%s", report);
}

static void expect_line(const Session *session, const Wish *wish, const char *wanted)
{
	g_autofree char *report = report_of(session, wish);
	g_autofree char *line = g_strdup_printf("\n%s\n", wanted);

	cr_expect_not_null(strstr(report, line), "no '%s' in\n%s", wanted, report);
}

static void expect_no_line(const Session *session, const Wish *wish, const char *beginning)
{
	g_autofree char *report = report_of(session, wish);
	g_autofree char *line = g_strdup_printf("\n%s", beginning);

	cr_expect_null(strstr(report, line), "'%s' in\n%s", beginning, report);
}

/* The lines of the table of a report from its titles on. at: the byte where a title begins. */
typedef struct {
	char **lines; /* NULL if there is no such title */
	gsize at;
} Below;

static void find_title(Below *below, char **lines, const char *title)
{
	for (; *lines && !below->lines; lines++) {
		const char *found = strstr(*lines, "SHARE%") ? strstr(*lines, title) : NULL;

		if (found)
			*below = (Below){ lines, (gsize)(found - *lines) };
	}
}

/* Expects these figures of a column, which end where its title ends. Other columns do not matter.
 */
static void expect_figures(const Session *session, const Wish *wish, const char *title,
			   const char *wanted)
{
	g_autofree char *report = report_of(session, wish);
	g_auto(GStrv) lines = g_strsplit(report, "\n", 0);
	g_autoptr(GString) figures = g_string_new(NULL);
	Below below = { NULL };

	find_title(&below, lines, title);
	cr_assert_not_null(below.lines, "no '%s' in\n%s", title, report);
	for (char **line = below.lines + 1; **line; line++) {
		g_autofree char *start = g_strndup(*line, below.at + strlen(title));
		const char *gap = g_strrstr(start, "  ");

		g_string_append_printf(figures, "%s;", gap ? gap + 2 : start);
	}
	cr_expect_str_eq(figures->str, wanted, "%s: %s in\n%s", title, figures->str, report);
}

/* Expects these labels, which begin where the title of the first one begins. */
static void expect_labels(const Session *session, const Wish *wish, const char *title,
			  const char *wanted)
{
	g_autofree char *report = report_of(session, wish);
	g_auto(GStrv) lines = g_strsplit(report, "\n", 0);
	g_autoptr(GString) labels = g_string_new(NULL);
	Below below = { NULL };

	find_title(&below, lines, title);
	cr_assert_not_null(below.lines, "no '%s' in\n%s", title, report);
	for (char **line = below.lines; **line; line++) {
		cr_assert_lt(below.at, strlen(*line), "'%s' in\n%s", *line, report);
		g_string_append_printf(labels, "%s\n", *line + below.at);
	}
	cr_expect_str_eq(labels->str, wanted, "%s", report);
}

#define ALPHA_STACK                                                                                \
	"This path seen 2500 times:\n"                                                             \
	" 0xffffffff81000210 : __kmalloc+0x10/0x100 [kernel]\n"                                    \
	" 0xffffffff81000310 : alpha+0x10/0x100 [kernel]\n"

#define BETA_STACK                                                                                 \
	"This path seen 500 times:\n"                                                              \
	" 0xffffffff81000210 : __kmalloc+0x10/0x100 [kernel]\n"                                    \
	" 0xffffffff81000410 : tcp_beta+0x10/0xc00 [kernel]\n"

#define RUN                                                                                        \
	"Run: www1, Linux 6.12.48, x86_64, 4 CPUs, 2026-11-21T03:39:19Z, 12.345 s, SystemTap 5.6"

#define RUN_COST ", tracing took 0.83 % of CPU time"

#define COMMAND_END "Traced command: 'find /usr' ended with exit status 3\n"

#define RUN_LINES RUN RUN_COST "\n" COMMAND_END "Lost: none\n"

Test(report_text, the_report_explains_itself)
{
	g_autoptr(Session) session = host_session(0);

	expect_report(session, &(Wish){ .minimum = "10", .exclude = ",tcp_,udp_", .top = 3 },
		      "Will exclude stacks containing: tcp_|udp_\n"
		      "Will print only the top 3 stacks.\n"
		      "Will print stacks with counts >= 10.\n"
		      "\n" ALPHA_STACK "\n"
		      "Num stacks before filtering: 2\n"
		      "Num stacks after filtering: 1\n"
		      "Total kmallocs (before filtering): 3000\n"
		      "Total kmallocs (after filtering): 2500\n"
		      "The filter stacks have 83.3333333333333 of the total kmallocs\n"
		      "Bytes: requested 250,000 of 750,000, allocated 320,000 of 832,000, "
		      "wasted 70,000 of 82,000\n"
		      "Failed allocations (NULL), not counted above: 1\n"
		      "Processes of these stacks: httpd[2211] 60 %, [softirq] 40 %\n" RUN_LINES);
}

Test(report_text, what_is_zero_or_the_default_is_a_detail)
{
	static const char *const headings[] = { "Counted", "Dropped", "Scope",   "Covered",
						"Cut",     "Command", "Tracing", "Interrupts" };
	g_autoptr(Session) session = host_session(0);

	for (size_t i = 0; i < G_N_ELEMENTS(headings); i++)
		expect_no_line(session, &(Wish){ .top = 1 }, headings[i]);
	add_field(session, KMT_FIELD_COMMAND_STATUS, 0, NULL);
	expect_no_line(session, &(Wish){ .top = 1 }, "Traced command");
}

Test(report_text, other_events_are_no_kmallocs)
{
	static const struct {
		const char *events, *summary;
	} cases[] = {
		{ "kmalloc", "Total kmallocs (after filtering): 2500\n"
			     "The filter stacks have 83.3333333333333 of the total kmallocs" },
		{ "kmalloc,free", "Total kmallocs (after filtering): 2500\n"
				  "The filter stacks have 83.3333333333333 of the total kmallocs" },
		{ "page", "Total allocations (after filtering): 2,500\n"
			  "The filter stacks have 83 % of the total allocations" },
		{ "kmalloc,cache", "Total allocations (after filtering): 2,500\n"
				   "The filter stacks have 83 % of the total allocations" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Session) session = host_session(0);

		add_field(session, KMT_FIELD_EVENTS, 0, cases[i].events);
		expect_line(session, &(Wish){ .exclude = "tcp_" }, cases[i].summary);
	}
}

Test(report_text, groups_are_a_table)
{
	static const struct {
		const char *title;
		const char *figures;
	} columns[] = {
		{ "ALLOCATIONS", "2,000;1,000;" },
		{ "SHARE%", "67;33;" },
		{ "REQUESTED-BYTES", "650,000;100,000;" },
		{ "ALLOCATED-BYTES", "704,000;128,000;" },
		{ "WASTED-BYTES", "54,000;28,000;" },
		{ "FAILED", "1;0;" },
	};
	g_autoptr(Session) session = host_session(0);
	const Wish wish = { .minimum = "10", .exclude = "udp_", .top = 1, .by = "process" };

	for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
		expect_figures(session, &wish, columns[i].title, columns[i].figures);
	expect_labels(session, &wish, "PROCESS", "PROCESS\nhttpd\n(1 other)\n");
	expect_line(session, &wish,
		    "Will print only the top 1 rows.\n"
		    "Will print rows with counts >= 10.\n");
	expect_line(session, &wish,
		    "\n"
		    "Num stacks before filtering: 2\n"
		    "Num stacks after filtering: 2\n"
		    "Num rows before filtering: 2\n"
		    "Num rows after filtering: 1\n"
		    "Total kmallocs (before filtering): 3,000\n"
		    "Total kmallocs (after filtering): 2,000\n"
		    "The filter rows have 67 % of the total kmallocs\n"
		    "Bytes: requested 650,000 of 750,000, allocated 704,000 of 832,000, "
		    "wasted 54,000 of 82,000\n"
		    "Failed allocations (NULL), not counted above: 1");
}

Test(report_text, several_filters_share_a_line)
{
	g_autoptr(Session) session = host_session(0);

	expect_line(session,
		    &(Wish){ .exclude = "tcp_", .minimum = "2", .top = 1, .by = "process" },
		    "Dropped: 1 stack by -e 'tcp_' (17 %), 1 row by -t 1 (33 %)");
	expect_no_line(session, &(Wish){ .exclude = "tcp_", .minimum = "2" }, "Dropped");
	expect_line(session, &(Wish){ .exclude = "tcp_", .minimum = "2", .details = true },
		    "Dropped: 0 stacks by -m 2 (0 allocations, 0 %), "
		    "1 stack by -e 'tcp_' (500 allocations, 17 %)");
}

/* Counts one allocation of a process of that name. */
static void count_process(Session *session, const char *comm)
{
	EventTask task = { .tgid = 1 };

	g_strlcpy(task.comm, comm, sizeof(task.comm));
	session_take_text(session,
			  &(EventText){ " 0x1 : a+0x1/0x2 [kernel]\n", 27, 1, .task = &task });
}

Test(report_text, columns_stand_below_their_titles)
{
	g_autoptr(Session) session = session_new(PLENTY);

	session->imported = true;
	/* Two columns each; and a name that would move what follows it off the line. */
	count_process(session, "\343\201\202\343\201\204\343\201\206\343\201\210");
	count_process(session, "\001\001\001\001\001\001\001\001\001\001\001");
	expect_labels(session, &(Wish){ .by = "process,module" }, "PROCESS",
		      "PROCESS                                   MODULE\n"
		      "\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\...  (kernel)\n"
		      "\343\201\202\343\201\204\343\201\206\343\201\210"
		      "                                  (kernel)\n");
	expect_labels(session, &(Wish){ .by = "process,module", .details = true }, "PROCESS",
		      "PROCESS                                       MODULE\n"
		      "\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01  (kernel)\n"
		      "\343\201\202\343\201\204\343\201\206\343\201\210"
		      "                                      (kernel)\n");
	expect_labels(session, &(Wish){ .by = "process" }, "PROCESS",
		      "PROCESS\n"
		      "\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\n"
		      "\343\201\202\343\201\204\343\201\206\343\201\210\n");
	expect_figures(session, &(Wish){ .by = "process" }, "ALLOCATIONS", "1;1;");
	expect_figures(session, &(Wish){ .by = "process" }, "SHARE%", "50;50;");
}

Test(report_text, an_empty_table_says_why)
{
	g_autoptr(Session) session = host_session(0);

	expect_no_line(session, &(Wish){ .minimum = "5000", .by = "process" }, "ALLOCATIONS");
	expect_line(session, &(Wish){ .minimum = "5000", .exclude = "tcp_", .by = "process" },
		    "Nothing to show: 2 stacks seen, -e 'tcp_' dropped 1 stack, -m 5000 dropped 2 "
		    "rows; use a narrower -e or a lower -m to see more");
}

Test(report_text, people_may_have_bytes_with_units)
{
	const Wish by_context = { .human = true, .by = "context" };
	g_autoptr(Session) session = host_session(0);

	expect_line(session, &(Wish){ .human = true },
		    "Bytes: requested 732 KiB, allocated 813 KiB, wasted 80.1 KiB");
	expect_line(session, &(Wish){ .human = true, .details = true },
		    "bytes: requested 244 KiB, allocated 313 KiB, wasted 68.4 KiB; failed 0");
	expect_figures(session, &by_context, "REQUESTED", "635 KiB;97.7 KiB;");
	expect_figures(session, &by_context, "ALLOCATED", "688 KiB;125 KiB;");
	expect_figures(session, &by_context, "WASTED", "52.7 KiB;27.3 KiB;");
	expect_labels(session, &by_context, "CONTEXT", "CONTEXT\ntask\nsoftirq\n");
}

Test(report_text, a_cost_of_almost_nothing_is_less_than_what_is_shown)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	g_autoptr(Session) session = session_new(PLENTY);
	EventBatch batch = event_batch_begin(stream, 2, 0, second);

	event_batch_heartbeat(&batch, second, 0, 0);
	event_batch_heartbeat(&batch, 13 * second, 0, second / 1000000);
	event_batch_end(&batch, 0);
	batch_write_info(stream, host_fields, G_N_ELEMENTS(host_fields));
	made_session_feed(session, stream);
	expect_line(session, &(Wish){ .quiet = true },
		    RUN ", tracing took less than 0.01 % of CPU time");
	add_field(session, KMT_FIELD_EVENT_COST_NS, 620, NULL);
	expect_line(session, &(Wish){ .quiet = true },
		    RUN ", tracing took less than 0.01 % of CPU time");
}

Test(report_text, an_estimated_cost_says_so)
{
	g_autoptr(Session) session = host_session(0);

	add_field(session, KMT_FIELD_EVENT_COST_NS, 620, NULL);
	add_field(session, KMT_FIELD_FRAME_COST_NS, 218, NULL);
	expect_line(session, &(Wish){ .quiet = true },
		    RUN ", tracing took about 0.83 % of CPU time");
	expect_line(session, &(Wish){ .details = true },
		    "Tracing cost: 0.83 % of all CPUs' time, 0.83 % of the busiest (CPU 2); "
		    "estimated, 620 ns an event and 218 ns a frame");
}

Test(report_text, details_and_quiet)
{
	g_autoptr(Session) session = host_session(0);

	expect_report(session, &(Wish){ .quiet = true, .details = true },
		      ALPHA_STACK
		      "bytes: requested 250,000, allocated 320,000, wasted 70,000; failed 0\n"
		      "processes: httpd[2211] 60 %, [softirq] 40 %\n\n" BETA_STACK
		      "bytes: requested 500,000, allocated 512,000, wasted 12,000; failed 1\n"
		      "processes: httpd[2211] 100 %\n\n"
		      "Num stacks before filtering: 2\n"
		      "Num stacks after filtering: 2\n"
		      "Total kmallocs (before filtering): 3000\n"
		      "Total kmallocs (after filtering): 3000\n"
		      "The filter stacks have 100 of the total kmallocs\n"
		      "Bytes: requested 750,000, allocated 832,000, wasted 82,000\n"
		      "Failed allocations (NULL), not counted above: 1\n"
		      "Counted: allocations made during the run, freed or not; "
		      "this ranks churn, not memory held.\n"
		      "Processes of these stacks: httpd[2211] 67 %, [softirq] 33 %\n"
		      "Scope: whole host, while the command ran; own processes left out: 1,204 "
		      "allocations\n"
		      "Covered: kmalloc, kmalloc_node; not covered: kmem_cache_alloc_bulk\n"
		      "Cut at 64 frames: 0 stacks\n" RUN RUN_COST "\n"
		      "Command: kmalloc-top -t 3 -c 'find /usr' (kmalloc-top 0.1, SystemTap "
		      "5.6)\n" COMMAND_END
		      "Tracing cost: 0.83 % of all CPUs' time, 0.83 % of the busiest (CPU 2)\n"
		      "Lost: none\n");
}

Test(report_text, an_empty_report_says_why)
{
	g_autoptr(Session) session = host_session(0);
	g_autoptr(Session) idle = session_new(PLENTY);

	expect_line(session, &(Wish){ .minimum = "1000", .exclude = "alpha" },
		    "Nothing to show: 2 stacks seen, -m 1000 dropped 1 stack, -e 'alpha' dropped 1 "
		    "stack; use a lower -m or a narrower -e to see more");
	expect_no_line(session, &(Wish){ .minimum = "1000" }, "Nothing to show");
	expect_line(idle, &(Wish){ .minimum = "10" },
		    "Nothing to show: no allocation matched; a longer run or a wider scope would "
		    "show more");
	expect_line(idle, &(Wish){ .minimum = "10" },
		    "The filter stacks have 0 of the total kmallocs");
}

Test(report_text, what_is_not_known_is_left_out)
{
	static const char *const headings[] = { "Bytes",      "Failed",  "Processes", "Scope",
						"Interrupts", "Covered", "Cut",       "Run",
						"Command",    "Tracing" };
	g_autoptr(Session) session = session_new(PLENTY);

	session->imported = true;
	session_take_text(session, &(EventText){ "a\n", 2, .weight = 8 });
	for (size_t i = 0; i < G_N_ELEMENTS(headings); i++)
		expect_no_line(session, &(Wish){ .details = true }, headings[i]);
	expect_no_line(session, &(Wish){ .details = true }, "bytes:");
	expect_no_line(session, &(Wish){ .details = true }, "processes:");
	expect_line(session, &(Wish){ .details = true }, "Lost: none");
}

Test(report_text, the_host_can_be_left_out)
{
	g_autoptr(Session) session = host_session(0);

	expect_line(session, &(Wish){ .no_host = true },
		    "Run: Linux 6.12.48, x86_64, 4 CPUs, 2026-11-21T03:39:19Z, 12.345 s, SystemTap "
		    "5.6" RUN_COST);
}

/* One more field, and the line that it makes, with --details. */
typedef struct {
	InfoField field;
	const char *line;
} FieldCase;

static const FieldCase field_cases[] = {
	{ { KMT_FIELD_SCOPE, 0, "host" },
	  "Scope: whole host; own processes left out: 1,204 allocations" },
	{ { KMT_FIELD_SCOPE, 0, "command" },
	  "Scope: the command, its threads and descendants; "
	  "own processes left out: 1,204 allocations" },
	{ { KMT_FIELD_SCOPE, 0, "command" },
	  "Interrupts left out: 17 allocations in softirq and hardirq context "
	  "(--with-interrupts counts them)" },
	{ { KMT_FIELD_SELF_INCLUDED, 1, NULL },
	  "Scope: whole host, while the command ran; own processes included" },
	{ { KMT_FIELD_STACK_DEPTH, 0, NULL }, "Stacks: none recorded, call sites only" },
	{ { KMT_FIELD_COMMAND_STATUS, 9, NULL },
	  "Traced command: 'find /usr' was killed by signal 9" },
	{ { KMT_FIELD_HOST, 0, "\302\233evil" },
	  "Run: \\xc2\\x9bevil, Linux 6.12.48, x86_64, 4 CPUs, 2026-11-21T03:39:19Z, 12.345 s, "
	  "SystemTap 5.6" RUN_COST },
	{ { KMT_FIELD_BOUND, 0, "--record-max 1G was reached" },
	  "Ended early: --record-max 1G was reached" },
	{ { KMT_FIELD_ADDRESSES_HIDDEN, 1, NULL },
	  "Symbols: none, the kernel hid its addresses; recording as root with "
	  "kernel.kptr_restrict=1 shows them" },
	{ { KMT_FIELD_WINDOW_START_NS, 1000000000, NULL },
	  "Run: www1, Linux 6.12.48, x86_64, 4 CPUs, 2026-11-21T03:39:19Z, 12.345 s, "
	  "SystemTap 5.6" RUN_COST },
	{ { KMT_FIELD_WINDOW_END_NS, 3000000000, NULL },
	  "Run: www1, Linux 6.12.48, x86_64, 4 CPUs, 2026-11-21T03:39:19Z, 2.000 s, "
	  "SystemTap 5.6" RUN_COST },
	{ { KMT_FIELD_SKIPPED, 30, NULL },
	  "Lost: 30 events (0.99 %): transport 0, skipped probes 30, reentrancy 0, damaged input "
	  "0, memory bound 0" },
	{ { KMT_FIELD_TRANSPORT_LOST, 2, NULL },
	  "Lost: 2 events (0.07 %): transport 2, skipped probes 0, reentrancy 0, damaged input 0, "
	  "memory bound 0" },
	{ { KMT_FIELD_CLOCK, 0, "CLOCK_MONOTONIC_RAW" }, "Clock: CLOCK_MONOTONIC_RAW" },
	{ { KMT_FIELD_NOT_RECORDED, 0, "nodes" }, "Not recorded by this kernel: nodes" },
	{ { KMT_FIELD_UNTRACED_NS, 1, NULL },
	  "Lost: events unknown: CPUs not traced for 0.001 s in all" },
	{ { KMT_FIELD_DAMAGED_BYTES, 1234, NULL },
	  "Lost: at least 0 events (0 %): transport 0, skipped probes 0, reentrancy 0, damaged "
	  "input 0 (1,234 bytes), memory bound 0" },
};

Test(report_text, fields_make_their_lines)
{
	for (size_t i = 0; i < G_N_ELEMENTS(field_cases); i++) {
		const InfoField *field = &field_cases[i].field;
		g_autoptr(Session) session = host_session(0);

		add_field(session, field->id, field->number, field->text);
		expect_line(session, &(Wish){ .details = true }, field_cases[i].line);
	}
}

Test(report_text, pids_are_listed_and_interrupts_may_be_included)
{
	g_autoptr(Session) session = host_session(0);

	add_field(session, KMT_FIELD_SCOPE, 0, "pids");
	add_field(session, KMT_FIELD_SCOPE_PIDS, 0, "12,34");
	add_field(session, KMT_FIELD_WITH_INTERRUPTS, 1, NULL);
	expect_line(session, &(Wish){ .quiet = true },
		    "Scope: every thread of the processes, not their children: 12,34; "
		    "interrupts included; own processes left out: 1,204 allocations");
	expect_no_line(session, &(Wish){ .quiet = true }, "Interrupts left out");
}

Test(report_text, lost_events_are_the_last_line)
{
	g_autoptr(Session) session = host_session(999);
	g_autofree char *report = report_of(session, &(Wish){ .quiet = true });

	cr_expect(g_str_has_suffix(report, "\nLost: 999 events (25 %): transport 999\n"), "%s",
		  report);
	cr_expect_eq(made_session_lost(session), 999);
	cr_expect(made_session_is_incomplete(session));
}

Test(report_text, a_complete_run_is_complete)
{
	g_autoptr(Session) session = host_session(0);

	cr_expect_eq(made_session_lost(session), 0);
	cr_expect_not(made_session_is_incomplete(session));
}

Test(report_text, what_the_kernel_did_not_deliver_is_reported_separately)
{
	g_autoptr(Session) session = host_session(999);

	add_field(session, KMT_FIELD_NOT_DELIVERED, 900, NULL);
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: 999 events (25 %): transport 99, not delivered by the kernel 900 (a "
		    "larger buffer does not help)");
	cr_expect_eq(made_session_lost(session), 999);
	cr_expect_not_null(strstr(losses_remedy(session, true), "--collector=stap"));
	cr_expect(made_session_is_incomplete(session));

	/* Where most found no room, room helps. */
	add_field(session, KMT_FIELD_NOT_DELIVERED, 100, NULL);
	cr_expect_not_null(strstr(losses_remedy(session, true), "--buffer"));

	/* The field is that of a longer run: only what is missing in the window counts. */
	add_field(session, KMT_FIELD_NOT_DELIVERED, 5000, NULL);
	cr_expect_eq(made_session_lost(session), 999);

	add_field(session, KMT_FIELD_SKIPPED, 1000, NULL);
	cr_expect_not_null(strstr(losses_remedy(session, true), "--collector=perf"));
}

Test(report_text, missed_kprobes_are_lost_events)
{
	g_autoptr(Session) session = host_session(0);

	add_field(session, KMT_FIELD_PROBES_MISSED, 30, NULL);
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: 30 events (0.99 %): kprobes missed by the kernel 30");
	cr_expect_eq(made_session_lost(session), 30);
	cr_expect_null(losses_remedy(session, true));
	cr_expect(made_session_is_incomplete(session));
}

/* A run that ended while its reader did not read, and damaged what it wrote last. */
static Session *unread_session(uint64_t counted_to_end)
{
	const CpuCounters counters = { .cpu = 9, .events_total = 40 };
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Session *session = host_session(0);

	batch_write_counters(stream, &counters, 1);
	made_session_feed(session, stream);
	add_field(session, KMT_FIELD_DAMAGED_BYTES, 77, NULL);
	add_field(session, KMT_FIELD_TRANSPORT_LOST, 3, NULL);
	add_field(session, KMT_FIELD_COUNTED_TO_END, counted_to_end, NULL);
	return session;
}

Test(report_text, what_was_never_read_is_reported_exactly)
{
	g_autoptr(Session) session = unread_session(1);

	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: 40 events (1.3 %): unread when the reader ended 40, damaged input 0 (77 "
		    "bytes)");
	cr_expect(made_session_is_incomplete(session));
}

Test(report_text, what_nothing_counts_is_unknown)
{
	g_autoptr(Session) session = unread_session(0);
	g_autoptr(Session) nothing = host_session(0);

	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: at least 40 events (1.3 %): unread when the reader ended 40, damaged "
		    "input 0 (77 bytes); unknown after the start");
	add_field(nothing, KMT_FIELD_COUNTED_TO_END, 0, NULL);
	expect_line(nothing, &(Wish){ .quiet = true }, "Lost: unknown after 2026-11-21T03:39:31Z");
	cr_expect(made_session_is_incomplete(nothing));
}

/* As a collector says it at the end. */
static void add_untraced(Session *session, uint64_t ns, const char *cpus)
{
	add_field(session, KMT_FIELD_UNTRACED_NS, ns, NULL);
	add_field(session, KMT_FIELD_UNTRACED_CPUS, 0, cpus);
}

Test(report_text, a_cpu_that_was_not_traced_is_a_loss_of_unknown_size)
{
	g_autoptr(Session) one = host_session(0);
	g_autoptr(Session) several = host_session(0);

	add_untraced(one, 412 * (second / 1000), "1");
	add_untraced(several, 2 * second + 1, "1,3-5");
	expect_line(one, &(Wish){ .quiet = true },
		    "Lost: events unknown: CPU 1 not traced for 0.412 s");
	expect_line(several, &(Wish){ .quiet = true },
		    "Lost: events unknown: CPUs 1,3-5 not traced for 2.001 s in all");
	cr_expect(made_session_is_incomplete(one));
	cr_expect_eq(made_session_lost(one), 0);
	add_untraced(one, 0, "");
	expect_line(one, &(Wish){ .quiet = true }, "Lost: none");
	cr_expect_not(made_session_is_incomplete(one));
}

Test(report_text, a_cpu_that_was_not_traced_is_reported_beside_other_losses)
{
	g_autoptr(Session) session = host_session(1);

	add_untraced(session, second, "7");
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: 1 event (0.03 %): transport 1; CPU 7 not traced for 1.000 s, events "
		    "unknown");
	session->cut_short = true;
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: 1 event (0.03 %): transport 1; CPU 7 not traced for 1.000 s, events "
		    "unknown; unknown after 2026-11-21T03:39:31Z");
}

/* Text of a recording is escaped. */
Test(report_text, events_that_bpf_programs_held_back_are_a_loss_of_unknown_size)
{
	g_autoptr(Session) session = host_session(0);

	add_field(session, KMT_FIELD_BPF_BLIND, 0, "kmalloc (BPF program 12)");
	expect_line(
		session, &(Wish){ .quiet = true },
		"Lost: events unknown: BPF programs held back those of kmalloc (BPF program 12)");
	expect_no_line(session, &(Wish){ .quiet = true }, "Beside BPF:");
	cr_expect(made_session_is_incomplete(session));
	cr_expect_eq(made_session_lost(session), 0);
	add_untraced(session, second, "1");
	add_field(session, KMT_FIELD_BPF_BLIND, 0, "kfree (BPF programs 12, 15)\302\233");
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: events unknown: CPU 1 not traced for 1.000 s; events unknown: BPF "
		    "programs held back those of kfree (BPF programs 12, 15)\\xc2\\x9b");
}

Test(report_text, what_user_stacks_lack_is_lost)
{
	g_autoptr(Session) session = host_session(0);

	made_session_feed_text(session, KMT_BATCH_MAPS, "m 1 2 3\n");
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: user stacks are incomplete: 1 mapping or name of programs could not be "
		    "read");
	cr_expect(made_session_is_incomplete(session));
	for (int i = 0; i < 2000000 && !user_maps_losses(session->user_maps)->dropped; i++) {
		g_autofree char *line = g_strdup_printf("x 1 %d\n", i);

		made_session_feed_text(session, KMT_BATCH_MAPS, line);
	}
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: user stacks are incomplete: 1 mapping or name of programs found no room "
		    "(--max-memory); user stacks are incomplete: 1 mapping or name of programs "
		    "could not be read");
}

Test(report_text, an_empty_text_takes_back_that_bpf_programs_held_back_events)
{
	g_autoptr(Session) session = host_session(0);

	add_field(session, KMT_FIELD_BPF_BLIND, 0, "kmalloc (BPF program 12)");
	add_field(session, KMT_FIELD_BPF_BLIND, 0, "");
	expect_line(session, &(Wish){ .quiet = true }, "Lost: none");
	cr_expect(!made_session_is_incomplete(session));
}

Test(report_text, bpf_programs_beside_which_events_came_are_no_loss)
{
	g_autoptr(Session) session = host_session(0);
	g_autoptr(Session) nothing = host_session(0);

	add_field(session, KMT_FIELD_BPF_ATTACHED, 0, "kmalloc (BPF program 12)");
	expect_line(session, &(Wish){ .quiet = true },
		    "Beside BPF: kmalloc (BPF program 12): nested events may be missing");
	expect_line(session, &(Wish){ .quiet = true }, "Lost: none");
	cr_expect(!made_session_is_incomplete(session));
	add_field(nothing, KMT_FIELD_BPF_ATTACHED, 0, "");
	expect_no_line(nothing, &(Wish){ .details = true }, "Beside BPF:");
}

Test(report_text, lost_messages_without_events_are_no_loss)
{
	g_autoptr(Session) session = host_session(0);

	add_field(session, KMT_FIELD_TRANSPORT_LOST, 3, NULL);
	add_field(session, KMT_FIELD_COUNTED_TO_END, 1, NULL);
	expect_line(session, &(Wish){ .quiet = true }, "Lost: none");
	cr_expect_not(made_session_is_incomplete(session));
}

Test(report_text, a_stream_that_was_cut_is_unknown_after_its_last_heartbeat)
{
	g_autoptr(Session) session = host_session(0);
	g_autoptr(Session) lossy = host_session(1);
	g_autoptr(Session) empty = session_new(PLENTY);

	session->cut_short = lossy->cut_short = empty->cut_short = true;
	expect_line(session, &(Wish){ .quiet = true }, "Lost: unknown after 2026-11-21T03:39:31Z");
	expect_line(lossy, &(Wish){ .quiet = true },
		    "Lost: 1 event (0.03 %): transport 1; unknown after 2026-11-21T03:39:31Z");
	expect_line(empty, &(Wish){ .quiet = true }, "Lost: unknown after the start");
	cr_expect(made_session_is_incomplete(session));
	cr_expect_eq(made_session_lost(session), 0);
}

Test(report_text, a_stream_that_was_cut_before_its_start_has_no_start)
{
	g_autoptr(Session) session = host_session(0);
	g_autofree char *text = NULL;

	add_field(session, KMT_FIELD_WINDOW_START_NS, UINT64_MAX, NULL);
	text = report_of(session, &(Wish){ .quiet = true });
	cr_expect_not_null(strstr(text, "Run: www1, Linux 6.12.48, x86_64, 4 CPUs, SystemTap 5.6"),
			   "%s", text);
}

Test(report_text, a_bound_that_ended_the_run_makes_it_incomplete)
{
	g_autoptr(Session) session = host_session(0);

	add_field(session, KMT_FIELD_BOUND, 0, "the disk is nearly full");
	cr_expect(made_session_is_incomplete(session));
}

/* Two CPUs of another run: one took one event of four, the other one of sixteen. */
static void add_sampled_events(Session *session)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();

	for (uint32_t cpu = 5; cpu <= 6; cpu++) {
		EventBatch batch = event_batch_begin(stream, cpu, 0, 4 * second);
		uint16_t origin = event_batch_origin(&batch, alpha, 2, 100, 128);

		event_batch_header(&batch)->sampling_period = cpu == 5 ? 4 : 16;
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 0, KMT_CONTEXT_TASK, 1);
		event_batch_end(&batch, 1);
	}
	made_session_feed(session, stream);
}

Test(report_text, sampling_that_was_asked_for_is_reported)
{
	g_autoptr(Session) session = session_new(PLENTY);

	add_field(session, KMT_FIELD_SAMPLING_PERIOD, 16, NULL);
	add_field(session, KMT_FIELD_COUNTED_TO_END, 1, NULL);
	add_sampled_events(session);
	expect_line(session, &(Wish){ .quiet = true },
		    "Sampled: sampled 1/4 to 1/16; counts and bytes are scaled up; "
		    "margin of the total +-156 % (95 %)");
	cr_expect_not(made_session_is_incomplete(session));
}

/* 1.96 times the root of 4 * 3 + 16 * 15, of 20. */
Test(report_text, a_sampled_stack_has_a_margin)
{
	g_autoptr(Session) session = session_new(PLENTY);
	g_autofree char *report = NULL;

	add_sampled_events(session);
	report = report_of(session, &(Wish){ .quiet = true });
	cr_expect(g_str_has_prefix(report, "This path seen 20 times (sampled, +-156 %):\n"), "%s",
		  report);
}

Test(report_text, sampling_beyond_that_is_no_failure)
{
	g_autoptr(Session) session = session_new(PLENTY);

	add_field(session, KMT_FIELD_SAMPLING_PERIOD, 4, NULL);
	add_field(session, KMT_FIELD_OVERHEAD_PERCENT_MAX, 20, NULL);
	add_field(session, KMT_FIELD_COUNTED_TO_END, 1, NULL);
	add_sampled_events(session);
	expect_line(session, &(Wish){ .quiet = true },
		    "Sampled: sampled 1/4 to 1/16, as probes took more than 20 % of a CPU's time "
		    "(CPU 6; --max-overhead); counts and bytes are scaled up; "
		    "margin of the total +-156 % (95 %)");
	cr_expect_not(made_session_is_incomplete(session));
}

/* A batch of 100 events of that period; before it so many were lost. */
static void add_sampled_batch(Session *session, uint32_t number, uint32_t period, uint64_t produced)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	EventBatch batch = event_batch_begin(stream, 5, number, (4 + number) * second);
	uint16_t origin = event_batch_origin(&batch, alpha, 2, 100, 128);

	event_batch_header(&batch)->sampling_period = period;
	for (unsigned i = 0; i < 100; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, i, KMT_CONTEXT_TASK, 1);
	event_batch_end(&batch, produced);
	made_session_feed(session, stream);
}

Test(report_text, a_loss_while_the_period_changed_is_a_range)
{
	g_autoptr(Session) session = session_new(PLENTY);

	add_field(session, KMT_FIELD_COUNTED_TO_END, 1, NULL);
	add_sampled_batch(session, 0, 100, 100);
	add_sampled_batch(session, 1, 200, 230);
	expect_line(session, &(Wish){ .quiet = true },
		    "Lost: 3,000 to 6,000 events (9.1 to 17 %): transport 3,000 to 6,000");
	/* The upper end decides. */
	cr_expect(losses_make_incomplete(session, 16.6));
	cr_expect_not(losses_make_incomplete(session, 16.7));
}

Test(report_text, no_share_allows_what_cannot_be_counted)
{
	g_autoptr(Session) untraced = host_session(1);
	g_autoptr(Session) cut = host_session(1);
	g_autoptr(Session) bound = host_session(1);

	cr_expect_not(losses_make_incomplete(untraced, 100));
	add_untraced(untraced, second, "1");
	cut->cut_short = true;
	add_field(bound, KMT_FIELD_BOUND, 0, "the disk is nearly full");
	cr_expect(losses_make_incomplete(untraced, 100));
	cr_expect(losses_make_incomplete(cut, 100));
	cr_expect(losses_make_incomplete(bound, 100));
}

Test(report_text, tasks_and_caches_that_found_no_room_are_reported)
{
	enum { LITTLE = 230 << 10 };
	g_autoptr(Session) session = session_new(LITTLE);

	for (uint32_t i = 1; i <= 300; i++) {
		const EventTask task = { .tgid = i, .comm = "a" };
		EventCache cache;

		memset(&cache, 0, sizeof(cache));
		g_snprintf(cache.name, sizeof(cache.name), "cache%u", i % 2);
		session_take_text(session, &(EventText){ .text = "a\n",
							 .length = 2,
							 .weight = 1,
							 .task = &task,
							 .cache = &cache });
	}
	cr_expect_eq(session_totals(session).over_bound, 0);
	cr_expect(session_totals(session).of_other_tasks > 0);
	expect_line(session, &(Wish){ .quiet = true },
		    "Full tables: 15 % of the events are of [other tasks]: use a larger "
		    "--max-memory");
	expect_line(session, &(Wish){ .quiet = true }, "Lost: none");
	cr_expect(losses_make_incomplete(session, 100));
}

Test(report_text, whoever_stops_early_has_seen_no_damage)
{
	g_autoptr(Session) session = host_session(0);
	g_autoptr(Session) whole = host_session(0);

	session->enough = true;
	session_feed(session, "KMR1 and not all of", 19);
	session_finish(session);
	session_feed(whole, "KMR1 and not all of", 19);
	session_finish(whole);
	cr_expect_not(losses_make_incomplete(session, 0));
	cr_expect(losses_make_incomplete(whole, 100));
}

Test(report_text, damage_in_the_stream_makes_it_incomplete)
{
	g_autoptr(Session) session = host_session(0);

	session_feed(session, "garbage garbage garbage", 23);
	session_finish(session);
	cr_expect(made_session_is_incomplete(session));
}

Test(report_text, unreadable_lines_of_an_import_are_damaged_input)
{
	g_autoptr(Session) session = session_new(PLENTY);

	session->imported = true;
	session->unreadable_lines = 2;
	session_take_text(session, &(EventText){ "a\n", 2, .weight = 8 });
	expect_line(session, &(Wish){ .quiet = true }, "Lost: 2 events (20 %): damaged input 2");
}

Test(report_text, what_found_no_room_is_lost)
{
	g_autoptr(Session) session = session_new(1);
	g_autofree char *stack = g_strnfill(4 << 20, 'x');

	session_take_text(session, &(EventText){ stack, 4 << 20, .weight = 3 });
	expect_line(session, &(Wish){ .quiet = true }, "Lost: 3 events (100 %): memory bound 3");
}

Test(report_text, more_than_a_few_processes_are_others)
{
	g_autoptr(Session) session = session_new(PLENTY);

	for (uint32_t tgid = 1; tgid <= 9; tgid++) {
		const EventTask task = { .tgid = tgid, .comm = { 'a', '\033', '0' + (char)tgid } };

		session_take_text(session, &(EventText){
						   .text = "a\n",
						   .length = 2,
						   .weight = tgid == 1 ? 9992 : 1,
						   .task = &task,
					   });
	}
	session_take_text(session, &(EventText){ "a\n", 2, .weight = 90000 });
	expect_line(session, &(Wish){ .quiet = true },
		    "Processes of these stacks: [unknown] 90 %, a\\x1b1[1] 10 %, "
		    "a\\x1b2[2] <0.01 %, a\\x1b3[3] <0.01 %, a\\x1b4[4] <0.01 %, 5 others <0.01 %");
}

Test(report_text, processes_of_one_name_are_one_entry)
{
	g_autoptr(Session) session = session_new(PLENTY);
	const EventTask other = { .tgid = 9, .comm = "make" };

	for (uint32_t tgid = 10; tgid < 1522; tgid++) {
		const EventTask task = { .tgid = tgid, .comm = "true" };

		session_take_text(session, &(EventText){
						   .text = "a\n",
						   .length = 2,
						   .weight = 2,
						   .task = &task,
					   });
	}
	session_take_text(session, &(EventText){ "a\n", 2, .weight = 3024, .task = &other });
	expect_line(session, &(Wish){ .quiet = true },
		    "Processes of these stacks: make[9] 50 %, true (1,512 processes) 50 %");
}

typedef struct {
	uint64_t part, whole;
	const char *text;
} PercentCase;

static const PercentCase percent_cases[] = {
	{ 0, 0, "0 %" },
	{ 0, 10, "0 %" },
	{ 1, 10, "10 %" },
	{ 61, 100, "61 %" },
	{ 10, 10, "100 %" },
	{ 1, 100, "1 %" },
	{ 25, 1000, "2.5 %" },
	{ 1, 1000, "0.10 %" },
	{ 1, 10000, "0.01 %" },
	{ 1, 10001, "<0.01 %" },
	{ 1, UINT64_MAX, "<0.01 %" },
	{ 999, 1000, "99.90 %" },
	{ UINT64_MAX, UINT64_MAX, "100 %" },
};

Test(report_text, percentages_are_short)
{
	for (size_t i = 0; i < G_N_ELEMENTS(percent_cases); i++) {
		g_autoptr(GString) out = g_string_new(NULL);

		append_percent(out, percent_cases[i].part, percent_cases[i].whole);
		cr_expect_str_eq(out->str, percent_cases[i].text);
	}
}

typedef struct {
	uint64_t count;
	const char *text;
} CountCase;

static const CountCase count_cases[] = {
	{ 0, "0" },
	{ 999, "999" },
	{ 1000, "1,000" },
	{ 100000, "100,000" },
	{ UINT64_MAX, "18,446,744,073,709,551,615" },
};

Test(report_text, counts_have_separators)
{
	for (size_t i = 0; i < G_N_ELEMENTS(count_cases); i++) {
		g_autoptr(GString) out = g_string_new("x");

		append_count(out, count_cases[i].count);
		cr_expect_str_eq(out->str + 1, count_cases[i].text);
	}
}

static const CountCase span_cases[] = {
	{ 0, "0.000 s" },
	{ 10003 * (uint64_t)NS_PER_MS, "10.003 s" },
	{ 119499 * (uint64_t)NS_PER_MS, "119.499 s" },
	{ 119500 * (uint64_t)NS_PER_MS, "2 min" },
	{ 3059986 * (uint64_t)NS_PER_MS, "51 min" },
	{ 7199 * (uint64_t)NS_PER_SECOND, "120 min" },
	{ 7200 * (uint64_t)NS_PER_SECOND, "2 h" },
	{ 47 * 3600 * (uint64_t)NS_PER_SECOND, "47 h" },
	{ 48 * 3600 * (uint64_t)NS_PER_SECOND, "2 days" },
	{ UINT64_MAX, "213504 days" },
};

Test(report_text, a_long_span_is_rounded_in_a_large_unit)
{
	for (size_t i = 0; i < G_N_ELEMENTS(span_cases); i++) {
		g_autoptr(GString) out = g_string_new(NULL);

		append_elapsed(out, span_cases[i].count);
		cr_expect_str_eq(out->str, span_cases[i].text, "%s", out->str);
	}
}

static const CountCase amount_cases[] = {
	{ 0, "0 B" },
	{ 1023, "1023 B" },
	{ 1024, "1.0 KiB" },
	{ 1536, "1.5 KiB" },
	{ 102300, "99.9 KiB" },
	{ 102400, "100 KiB" },
	{ 1023 * 1024, "1,023 KiB" },
	{ (1 << 20) - 1, "1.0 MiB" },
	{ 1453632, "1.4 MiB" },
	{ 5ULL << 30, "5.0 GiB" },
	{ 3000ULL << 40, "3,000 TiB" },
	{ UINT64_MAX, "16,777,216 TiB" },
};

Test(report_text, amounts_for_people_have_the_digits_that_count)
{
	for (size_t i = 0; i < G_N_ELEMENTS(amount_cases); i++) {
		g_autoptr(GString) out = g_string_new("x");

		append_amount(out, amount_cases[i].count, true);
		cr_expect_str_eq(out->str + 1, amount_cases[i].text, "%s", out->str);
	}
}

Test(report_text, every_instant_can_be_printed)
{
	g_autoptr(GString) out = g_string_new(NULL);

	append_time(out, UINT64_MAX);
	cr_expect_str_eq(out->str, "2554-07-21T23:34:33Z");
}

Test(report_text, what_was_lost_of_names_is_in_the_report)
{
	g_autoptr(Session) session = host_session(0);
	g_autofree char *before = report_of(session, &(Wish){ 0 });
	g_autofree char *after = NULL;

	cr_expect_null(strstr(before, "not read"));
	cr_expect_null(strstr(before, "outdated"));
	add_field(session, KMT_FIELD_USER_NAMES_MISSING, 0, "no mappings of 3 processes");
	add_field(session, KMT_FIELD_TASKS_LOST, 1234, NULL);
	after = report_of(session, &(Wish){ 0 });
	cr_expect_not_null(strstr(after, "\nPrograms not read: no mappings of 3 processes\n"));
	cr_expect_not_null(
		strstr(after, "\nProcesses: 1,234 records of their starts, names and ends lost: "
			      "some names may be outdated\n"));
}

Test(report_text, frees_of_pages_are_no_frees_of_slab_objects)
{
	static const uint8_t sources[] = { KMT_SOURCE_KMALLOC, KMT_SOURCE_CACHE, KMT_SOURCE_PAGE,
					   KMT_SOURCE_VMALLOC };
	g_autoptr(GByteArray) stream = g_byte_array_new();
	EventBatch batch = event_batch_begin(stream, 0, 0, second);
	g_autoptr(Session) session = host_session(0);
	g_autofree char *report = NULL;

	event_batch_task(&batch, 2211, "httpd");
	for (unsigned i = 0; i < G_N_ELEMENTS(sources); i++) {
		uint16_t origin = event_batch_origin(&batch, alpha, 2, 0, 0);
		struct KmtOrigin *record =
			(struct KmtOrigin *)(void *)(stream->data + stream->len - sizeof(*record));

		record->source = sources[i];
		for (unsigned j = 0; j <= i; j++)
			event_batch_event(&batch, KMT_RECORD_FREE, origin, j, KMT_CONTEXT_TASK,
					  0x1000);
	}
	event_batch_end(&batch, 10);
	made_session_feed(session, stream);
	report = report_of(session, &(Wish){ 0 });
	cr_expect_not_null(strstr(report, "\nFrees: 3 of slab objects, 3 of pages, 4 of other "
					  "memory recorded, not ranked\n"),
			   "%s", report);
}
