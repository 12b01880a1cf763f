/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/unwind/unwind_child.h"

#include "base/clock.h"
#include "fixtures/user_samples.h"
#include "process.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROCESS = 9, PATIENCE_S = 20, PLENTY = 256 << 20 };

/* Jobs and what became of them: a job's user data is its position. */
typedef struct {
	UserRun *run;
	GArray *files; /* (element-type int) */
	UnwindChild *child;
	UnwindStack *stacks;
	unsigned submitted, refused; /* jobs */
	unsigned answered;
	unsigned not_unwound; /* of the answers */
} Fixture;

static void fixture_init(Fixture *fixture)
{
	static const char *const argv[] = { UNWIND_SUBJECT, "frames", NULL };

	*fixture = (Fixture){ .child = unwind_child_new(PLENTY, NULL) };
	cr_assert_not_null(fixture->child);
	if (!user_samples_are_possible()) {
		unwind_child_free(fixture->child);
		cr_skip_test("perf events of user stacks cannot be opened");
	}
	fixture->run = user_run_new(argv, 0);
	fixture->stacks = g_new0(UnwindStack, fixture->run->samples->len);
	fixture->files = g_array_new(FALSE, FALSE, sizeof(int));
}

static void fixture_clear(Fixture *fixture)
{
	unwind_child_free(fixture->child);
	for (guint i = 0; i < fixture->files->len; i++)
		close(g_array_index(fixture->files, int, i));
	g_array_free(fixture->files, TRUE);
	g_free(fixture->stacks);
	user_run_free(fixture->run);
}

static void add_objects(Fixture *fixture)
{
	for (guint number = 1; number <= fixture->run->paths->len; number++) {
		int fd = user_run_open(fixture->run, number);

		g_array_append_val(fixture->files, fd);
		unwind_child_add_object(fixture->child, number, fd);
	}
}

static void add_maps(Fixture *fixture, uint64_t process)
{
	for (guint i = 0; i < fixture->run->spans->len; i++) {
		const UserSpan *span = &g_array_index(fixture->run->spans, UserSpan, i);
		const UnwindMapping mapping = { span->start, span->end - span->start,
						span->start + span->to_offset, span->object };

		unwind_child_add_mapping(fixture->child, process, &mapping);
	}
}

static bool submit(Fixture *fixture, uint64_t process, guint at)
{
	const UserSample *sample = fixture->run->samples->pdata[at];
	const UnwindJob job = {
		.process = process,
		.user_data = at,
		.registers = sample->registers,
		.copy = { sample->registers.values[UNWIND_SP], sample->stack, sample->bytes },
	};
	bool is_taken = unwind_child_submit(fixture->child, &job);

	fixture->submitted += is_taken;
	fixture->refused += !is_taken;
	return is_taken;
}

static void take(uint64_t job_user_data, const UnwindStack *stack, void *user_data)
{
	Fixture *fixture = user_data;

	cr_assert_lt(job_user_data, fixture->run->samples->len);
	fixture->stacks[job_user_data] = *stack;
	fixture->answered++;
	fixture->not_unwound += stack->end == UNWIND_END_NOT_UNWOUND;
}

static void drain(Fixture *fixture)
{
	unwind_child_drain(fixture->child,
			   clock_monotonic_ns() + (uint64_t)PATIENCE_S * NS_PER_SECOND, take,
			   fixture);
}

/* The same without another process. */
static UnwindStack expected(const Fixture *fixture, guint at)
{
	const UserSample *sample = fixture->run->samples->pdata[at];
	const UnwindCopy copy = { sample->registers.values[UNWIND_SP], sample->stack,
				  sample->bytes };
	g_autoptr(Unwinder) unwinder = unwinder_new(PLENTY);
	UnwindStack stack;

	for (guint number = 1; number <= fixture->run->paths->len; number++) {
		int fd = user_run_open(fixture->run, number);

		unwinder_add_object(unwinder, number, fd);
		close(fd);
	}
	unwinder_set_maps(unwinder, PROCESS, fixture->run->spans);
	unwinder_walk(unwinder, PROCESS, &sample->registers, &copy, &stack);
	return stack;
}

static void expect_stack(const Fixture *fixture, guint at)
{
	UnwindStack stack = expected(fixture, at);
	const UnwindStack *answered = &fixture->stacks[at];

	cr_expect_eq(answered->end, stack.end, "%u: %d, not %d", at, answered->end, stack.end);
	cr_assert_eq(answered->depth, stack.depth, "%u: %u, not %u", at, answered->depth,
		     stack.depth);
	cr_expect_arr_eq(answered->frames, stack.frames, stack.depth * sizeof(*stack.frames));
}

/* Returns the only child that a process has now; 0: none. */
static pid_t child_now(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/children", pid, pid);
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		cr_skip_test("this kernel does not show children of processes");
	return (pid_t)g_ascii_strtoll(text, NULL, 10);
}

/* Waits for it. */
static pid_t child_of(pid_t pid)
{
	pid_t child = child_now(pid);

	for (int i = 0; !child && i < PROCESS_TRIES; i++) {
		g_usleep(PROCESS_TRY_US);
		child = child_now(pid);
	}
	return child;
}

static pid_t worker_pid(void)
{
	return child_of(getpid());
}

Test(unwind_child, answers_are_those_of_this_process)
{
	Fixture fixture;
	pid_t worker;

	fixture_init(&fixture);
	worker = worker_pid();
	add_objects(&fixture);
	add_maps(&fixture, PROCESS);
	for (guint i = 0; i < fixture.run->samples->len; i++)
		cr_assert(submit(&fixture, PROCESS, i));
	drain(&fixture);
	cr_expect_eq(fixture.answered, fixture.run->samples->len);
	for (guint i = 0; i < fixture.run->samples->len; i += 7)
		expect_stack(&fixture, i);
	cr_expect_eq(worker_pid(), worker);
	fixture_clear(&fixture);
}

Test(unwind_child, a_forked_process_has_the_mappings_of_its_parent)
{
	Fixture fixture;
	guint last;

	fixture_init(&fixture);
	last = fixture.run->samples->len - 1;
	add_objects(&fixture);
	add_maps(&fixture, PROCESS);
	unwind_child_copy_maps(fixture.child, PROCESS + 1, PROCESS);
	cr_assert(submit(&fixture, PROCESS + 1, last));
	drain(&fixture);
	expect_stack(&fixture, last);
	add_maps(&fixture, PROCESS + 1);
	unwind_child_forget(fixture.child, PROCESS + 1);
	cr_assert(submit(&fixture, PROCESS + 1, last));
	drain(&fixture);
	cr_expect_eq(fixture.stacks[last].depth, 1);
	cr_expect_eq(fixture.stacks[last].end, UNWIND_END_OUTSIDE);
	fixture_clear(&fixture);
}

/* The processes. */

static char *status_of(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status", pid);

	return file_read(path, NULL);
}

Test(unwind_child, the_process_has_no_rights)
{
	Fixture fixture;
	g_autofree char *status = NULL;

	fixture_init(&fixture);
	add_objects(&fixture);
	add_maps(&fixture, PROCESS);
	cr_assert(submit(&fixture, PROCESS, 0));
	drain(&fixture);
	status = status_of(worker_pid());
	cr_expect_not_null(strstr(status, "\nNoNewPrivs:\t1\n"), "%s", status);
	cr_expect_not_null(strstr(status, "\nCapPrm:\t0000000000000000\n"), "%s", status);
	cr_expect_not_null(strstr(status, "\nCapEff:\t0000000000000000\n"), "%s", status);
	cr_expect_not_null(strstr(status, "\nSeccomp:\t2\n"), "%s", status);
	/* Daemons have 65534, too. */
	cr_expect_null(strstr(status, "\t65534"), "%s", status);
	cr_expect(geteuid() || !strstr(status, "\nUid:\t0\t"), "%s", status);
	fixture_clear(&fixture);
}

Test(unwind_child, a_lost_process_is_replaced_and_its_stacks_are_counted)
{
	Fixture fixture;
	pid_t lost;
	guint last;

	fixture_init(&fixture);
	last = fixture.run->samples->len - 1;
	add_objects(&fixture);
	add_maps(&fixture, PROCESS);
	/* So it reads no object when it is lost, and none is left out. */
	cr_assert(submit(&fixture, PROCESS, 0));
	drain(&fixture);
	cr_assert_eq(fixture.answered, 1);
	lost = worker_pid();
	kill(lost, SIGSTOP);
	for (guint i = 1; i < last; i++)
		cr_assert(submit(&fixture, PROCESS, i));
	kill(lost, SIGKILL);
	drain(&fixture);
	cr_expect_eq(fixture.answered, last);
	cr_expect_eq(fixture.not_unwound, last - 1);
	cr_expect_neq(worker_pid(), 0);
	cr_expect_neq(worker_pid(), lost);
	cr_assert(submit(&fixture, PROCESS, last));
	drain(&fixture);
	expect_stack(&fixture, last);
	fixture_clear(&fixture);
}

Test(unwind_child, a_process_that_is_lost_again_and_again_is_given_up)
{
	enum { KILLS_MAX = 20 };
	unsigned kills = 0;
	Fixture fixture;
	pid_t worker;

	fixture_init(&fixture);
	add_objects(&fixture);
	add_maps(&fixture, PROCESS);
	for (worker = worker_pid(); worker && kills < KILLS_MAX; worker = child_now(getpid())) {
		kills++;
		kill(worker, SIGKILL);
		submit(&fixture, PROCESS, 0);
		drain(&fixture);
	}
	cr_expect_lt(kills, KILLS_MAX);
	cr_expect_not(submit(&fixture, PROCESS, 0));
	cr_expect_eq(fixture.answered, fixture.submitted);
	fixture_clear(&fixture);
}

Test(unwind_child, a_process_that_hangs_blocks_nobody)
{
	enum { MANY = 40000 };
	Fixture fixture;
	pid_t worker;

	fixture_init(&fixture);
	add_objects(&fixture);
	add_maps(&fixture, PROCESS);
	worker = worker_pid();
	kill(worker, SIGSTOP);
	for (guint i = 0; i < MANY; i++) {
		submit(&fixture, PROCESS, i % fixture.run->samples->len);
		unwind_child_take(fixture.child, take, &fixture);
	}
	cr_expect_gt(fixture.refused, 0);
	unwind_child_drain(fixture.child, clock_monotonic_ns(), take, &fixture);
	cr_expect_eq(fixture.answered, fixture.submitted);
	cr_expect_eq(fixture.not_unwound, fixture.submitted);
	/* Late answers are nobody's. */
	kill(worker, SIGCONT);
	do {
		fixture.stacks[0].end = UNWIND_END_NOT_UNWOUND;
		if (submit(&fixture, PROCESS, 0))
			drain(&fixture);
		unwind_child_take(fixture.child, take, &fixture);
	} while (fixture.stacks[0].end == UNWIND_END_NOT_UNWOUND);
	expect_stack(&fixture, 0);
	cr_expect_eq(worker_pid(), worker);
	fixture_clear(&fixture);
}

/* However many rings are read meanwhile: each would be waited for, for many minutes in all. */
Test(unwind_child, a_process_that_hangs_is_waited_for_once, .timeout = 120)
{
	enum { READS = 200 };
	Fixture fixture;
	pid_t worker;

	fixture_init(&fixture);
	add_objects(&fixture);
	add_maps(&fixture, PROCESS);
	worker = worker_pid();
	kill(worker, SIGSTOP);
	for (unsigned i = 0; i < READS; i++) {
		cr_assert(submit(&fixture, PROCESS, 0));
		drain(&fixture);
	}
	cr_expect_eq(fixture.answered, READS);
	cr_expect_eq(fixture.not_unwound, READS);
	kill(worker, SIGCONT);
	fixture_clear(&fixture);
}

Test(unwind_child, processes_end_with_the_program)
{
	Fixture fixture;
	pid_t worker;

	fixture_init(&fixture);
	add_objects(&fixture);
	worker = worker_pid();
	fixture_clear(&fixture);
	cr_expect(process_wait_until_gone(worker));
}

Test(unwind_child, processes_end_with_a_program_that_is_killed)
{
	int pipes[2];
	pid_t program, worker;

	cr_assert_eq(pipe(pipes), 0);
	program = fork();
	if (!program) {
		UnwindChild *child = unwind_child_new(PLENTY, NULL);

		(void)!write(pipes[1], child ? "1" : "0", 1);
		pause();
	}
	cr_assert_eq(read(pipes[0], &(char){ 0 }, 1), 1);
	worker = child_of(program);
	kill(program, SIGKILL);
	cr_expect(process_wait_until_gone(worker));
	close(pipes[0]);
	close(pipes[1]);
}
