/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "tools/drill.h"

#include "collect/run/collector_types.h"
#include "event_batch.h"
#include "leaks.h"
#include "process.h"
#include "record/batch_writer.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(drill);

enum { PLENTY = 64 << 20, PATIENCE_MS = 10000 };

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000300 T alpha\n"
			       "ffffffff81000400 T beta\n"
			       "ffffffff81001000 T _etext\n";
static const uint32_t alpha[] = { 0x81000310 };
static const uint32_t beta[] = { 0x81000410 };

/* A program that stands for the second collection, and what it is asked for. */
typedef struct {
	char *folder;
	char *program;
	CollectRequest like;
	DrillRequest request;
} Host;

static char *path_of(const Host *host, const char *name)
{
	return g_build_filename(host->folder, name, NULL);
}

/* The script runs in the folder. */
static void set_program(const Host *host, const char *script)
{
	g_autofree char *text = g_strdup_printf("#!/bin/sh\ncd '%s'\necho \"$@\" > arguments\n%s\n",
						host->folder, script);

	cr_assert(g_file_set_contents(host->program, text, -1, NULL));
	cr_assert(zero(int, chmod(host->program, 0700)));
}

#define UNTIL_INTERRUPT "trap 'exit 0' INT\nwhile :; do sleep 0.02; done"

/* httpd allocates three dentries in alpha and five in beta, and something else; this program
   allocates dentries as well. */
static void write_stream(const Host *host)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	const InfoField facts[] = { { KMT_FIELD_RUN_START_NS, 1000000000, NULL },
				    { KMT_FIELD_MONOTONIC_NS, 3500000000, NULL } };
	g_autofree char *path = path_of(host, "stream");
	uint16_t in_alpha, in_beta, other;
	EventBatch batch;

	stream_add_text(stream, KMT_BATCH_SYMBOLS, kallsyms);
	batch_write_info(stream, facts, G_N_ELEMENTS(facts));
	batch = event_batch_begin(stream, 0, 0, 1000);
	event_batch_cache(&batch, "dentry(7:x)", 192, 192);
	in_alpha = event_batch_origin(&batch, alpha, 1, 192, 192);
	in_beta = event_batch_origin(&batch, beta, 1, 192, 192);
	event_batch_cache(&batch, "filp", 256, 256);
	other = event_batch_origin(&batch, beta, 1, 256, 256);
	event_batch_task(&batch, 10, "ht\033tpd");
	event_batch_allocate(&batch, in_alpha, 3, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, in_beta, 5, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, other, 7, KMT_CONTEXT_TASK);
	event_batch_task(&batch, (uint32_t)getpid(), "slabratetop");
	event_batch_allocate(&batch, in_alpha, 11, KMT_CONTEXT_TASK);
	event_batch_end_only(&batch);
	cr_assert(g_file_set_contents(path, (const char *)stream->data, stream->len, NULL));
}

static void host_init(Host *host, const char *script)
{
	g_set_prgname("slabratetop");
	host->folder = temporary_folder();
	host->program = path_of(host, "program");
	host->like = (CollectRequest){ .what.events = PROBE_KMALLOC | PROBE_CACHE | PROBE_FREE,
				       .bounds.overhead_percent_max = 20 };
	host->request = (DrillRequest){
		.beside = { .like = &host->like,
			    .collector = &perf_collector,
			    .program = host->program },
		.cache = "dentry",
		.key = rate_detail_key("process"),
		.memory_bytes_max = PLENTY,
	};
	set_program(host, script);
	write_stream(host);
}

static void host_clear(Host *host)
{
	temporary_free(host->folder);
	g_free(host->program);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Host, host_clear)

static Drill *start(const Host *host)
{
	Drill *drill = drill_start(&host->request, NULL);

	cr_assert(ne(ptr, drill, NULL));
	return drill;
}

static bool has_events(const RateDetail *detail)
{
	return detail->sums.summary.allocations > 0;
}

static bool has_problem(const RateDetail *detail)
{
	return detail->problem != NULL;
}

static RateDetail *poll_until(Drill *drill, bool (*wanted)(const RateDetail *detail))
{
	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		RateDetail *detail = drill_poll(drill);

		if (detail && wanted(detail))
			return detail;
		rate_detail_free(detail);
		g_usleep(10000);
	}
	cr_fatal("it did not come in time");
}

static const RateDetailRow *row_at(const GArray *rows, guint index)
{
	cr_assert(lt(uint, index, rows->len));
	return &g_array_index(rows, RateDetailRow, index);
}

Test(drill, it_shows_who_allocates_from_the_cache_and_where)
{
	g_auto(Host) host = { NULL };
	g_autoptr(RateDetail) detail = NULL;
	g_autoptr(Drill) drill = NULL;
	const FrameList *stack;

	host_init(&host, "cat stream\n" UNTIL_INTERRUPT);
	drill = start(&host);
	detail = poll_until(drill, has_events);
	cr_expect(eq(str, detail->cache, "dentry"));
	cr_expect(eq(u64, detail->sums.summary.allocations, 8),
		  "what is ours or of another cache is not it");
	cr_expect(eq(u64, detail->sums.summary.bytes_allocated, 8 * 192));
	cr_expect(eq(uint, detail->groups->len, 1));
	cr_expect(eq(str, row_at(detail->groups, 0)->label, "ht\\x1btpd"));
	cr_expect(eq(ptr, row_at(detail->groups, 0)->frames, NULL));
	cr_expect(eq(uint, detail->stacks->len, 2));
	cr_expect(eq(str, row_at(detail->stacks, 0)->label, "beta"));
	cr_expect(eq(u64, row_at(detail->stacks, 0)->sums.summary.allocations, 5));
	stack = row_at(detail->stacks, 1)->frames;
	cr_expect(eq(str, (char *)stack->frames[0].function, "alpha"));
	cr_expect(eq(u64, stack->frames[0].offset, 0x10));
	cr_expect(eq(int, (int)(detail->seconds * 1000), 2500));
	cr_expect(eq(ptr, detail->problem, NULL));
}

Test(drill, before_it_counts_it_says_so)
{
	g_auto(Host) host = { NULL };
	g_autoptr(RateDetail) detail = NULL;
	g_autoptr(Drill) drill = NULL;

	host_init(&host, UNTIL_INTERRUPT);
	drill = start(&host);
	detail = drill_poll(drill);
	cr_assert(ne(ptr, detail, NULL));
	cr_expect(lt(dbl, detail->seconds, 0));
}

Test(drill, another_group_is_given_at_once)
{
	g_auto(Host) host = { NULL };
	g_autoptr(RateDetail) before = NULL, after = NULL;
	g_autoptr(Drill) drill = NULL;

	host_init(&host, "cat stream\n" UNTIL_INTERRUPT);
	drill = start(&host);
	before = poll_until(drill, has_events);
	drill_set_group(drill, "cgroup");
	after = poll_until(drill, has_events);
	cr_expect(eq(str, row_at(after->groups, 0)->label, "(unknown cgroup)"));
}

Test(drill, the_kernel_is_to_filter_the_cache_and_the_processes)
{
	static const guint32 pids[] = { 10, 20 };
	g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_auto(Host) host = { NULL };
	g_autoptr(RateDetail) detail = NULL;
	g_autofree char *path = NULL, *arguments = NULL;
	g_autoptr(Drill) drill = NULL;

	g_array_append_vals(list, pids, G_N_ELEMENTS(pids));
	host_init(&host, "cat stream\n" UNTIL_INTERRUPT);
	host.like.whose.scope = COLLECT_SCOPE_PIDS;
	host.like.whose.pids = list;
	host.like.what.sampling_period = 100;
	host.like.stap.walk = STACK_WALK_COMPARE;
	host.like.what.cache_names = CACHE_NAMES_PROBES;
	host.like.bounds.buffer_megabytes = 8;
	host.request.beside.cgroup = "x; touch /tmp/y";
	drill = start(&host);
	detail = poll_until(drill, has_events);
	path = path_of(&host, "arguments");
	arguments = file_read(path, NULL);
	cr_expect(eq(str, arguments,
		     "--quiet --collector=perf --events=kmalloc,cache --max-overhead=20 "
		     "--sample=100 --stack-walk=compare --cache-names=probes "
		     "--buffer=8 --pid=10,20 "
		     "--cgroup=x; touch /tmp/y --cache=dentry --stacks --record=-\n"));
}

Test(drill, its_last_detail_says_why_it_failed)
{
	g_auto(Host) host = { NULL };
	g_autoptr(RateDetail) detail = NULL;
	g_autoptr(Drill) drill = NULL;

	host_init(&host, "echo first >&2\nprintf 'no \\033 module\\n' >&2\nexit 1");
	drill = start(&host);
	detail = poll_until(drill, has_problem);
	cr_expect(eq(str, detail->problem, "no \\x1b module"));
}

Test(drill, what_was_counted_before_it_ended_is_there)
{
	g_auto(Host) host = { NULL };
	g_autoptr(RateDetail) detail = NULL;
	g_autoptr(Drill) drill = NULL;

	host_init(&host, "cat stream\nkill -9 $$");
	drill = start(&host);
	detail = poll_until(drill, has_problem);
	cr_expect(eq(str, detail->problem, "the second collection was ended by signal 9 (Killed)"));
	cr_expect(eq(u64, detail->sums.summary.allocations, 8));
}

Test(drill, nothing_stays_behind)
{
	g_auto(Host) host = { NULL };
	pid_t pid;
	Drill *drill;

	host_init(&host, "trap 'exit 0' INT\ntouch began\n" UNTIL_INTERRUPT);
	drill = start(&host);
	pid = (pid_t)drill_pid(drill);
	cr_assert(process_wait_for_file(host.folder, "began"));
	drill_leave(drill);
	for (int ms = 0; !drill_is_over(drill) && ms < PATIENCE_MS; ms += 10)
		g_usleep(10000);
	cr_expect(drill_is_over(drill));
	drill_stop(drill);
	cr_expect(process_wait_until_gone(pid));
}

Test(drill, it_ends_with_a_program_that_is_killed)
{
	g_auto(Host) host = { NULL };
	pid_t program;

	host_init(&host, "echo $$ > pid.part\nmv pid.part pid\n" UNTIL_INTERRUPT);
	program = fork();
	if (!program) {
		start(&host);
		pause();
		_exit(0);
	}
	cr_assert(process_wait_for_file(host.folder, "pid"));
	kill(program, SIGKILL);
	cr_expect(process_wait_until_gone(process_read_pid(host.folder, "pid")));
	waitpid(program, NULL, 0);
}

Test(drill, a_row_without_a_cache_cannot_be_opened)
{
	g_auto(Host) host = { NULL };
	g_autoptr(GError) error = NULL;

	host_init(&host, "");
	host.request.cache = NULL;
	cr_expect(eq(ptr, drill_start(&host.request, &error), NULL));
	cr_expect(ne(ptr, error, NULL));
}

Test(drill, a_command_of_the_first_collection_cannot_be_followed)
{
	g_auto(Host) host = { NULL };
	g_autoptr(GError) error = NULL;

	host_init(&host, "");
	host.like.whose.scope = COLLECT_SCOPE_COMMAND;
	cr_expect(eq(ptr, drill_start(&host.request, &error), NULL));
	cr_assert(ne(ptr, error, NULL));
	cr_expect(ne(ptr, strstr(error->message, "-p PID"), NULL));
}

Test(drill, a_recorder_is_asked_to_end_and_waited_for)
{
	g_auto(Host) host = { NULL };
	g_autofree char *path = NULL, *ended = NULL;
	g_autoptr(GError) error = NULL;
	SuiteChild *recorder;

	host_init(&host, "trap 'sleep 0.1; touch ended; exit 3' INT\ntouch began\n"
			 "while :; do sleep 0.02; done");
	path = path_of(&host, "r.kmr");
	recorder = suite_recording_start(path, &host.request.beside, &error);
	cr_assert(ne(ptr, recorder, NULL));
	cr_assert(process_wait_for_file(host.folder, "began"));
	cr_expect(not(suite_child_wait(recorder, 0)));
	cr_expect(suite_recording_stop(recorder, &error), "some events may be lost");
	ended = path_of(&host, "ended");
	cr_expect(g_file_test(ended, G_FILE_TEST_EXISTS));
}

Test(drill, a_recorder_never_overwrites)
{
	g_auto(Host) host = { NULL };
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;

	host_init(&host, "");
	path = path_of(&host, "stream");
	cr_expect(eq(ptr, suite_recording_start(path, &host.request.beside, &error), NULL));
	cr_expect(ne(ptr, error, NULL));
}

Test(drill, a_recorder_reports_why_it_failed)
{
	g_auto(Host) host = { NULL };
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	SuiteChild *recorder;

	host_init(&host, "echo 'the disk is full' >&2\nexit 1");
	path = path_of(&host, "r.kmr");
	recorder = suite_recording_start(path, &host.request.beside, &error);
	cr_assert(ne(ptr, recorder, NULL));
	for (int ms = 0; !suite_child_wait(recorder, 0) && ms < PATIENCE_MS; ms += 10)
		g_usleep(10000);
	cr_expect(not(suite_recording_stop(recorder, &error)));
	cr_assert(ne(ptr, error, NULL));
	cr_expect(eq(str, error->message, "the disk is full"));
}
