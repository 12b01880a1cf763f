/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs each test in a process of its own, as many at once as there are CPUs, and prints the failed
 * ones and a sum. Usage: unit [SECONDS [PATTERN]]: how long a test without a timeout may take, and
 * which ones, such as 'stack_*'. Timeouts of the tests are for fast machines, so each is
 * at least SECONDS.
 */
#include "criterion/redirect.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	JOBS_MAX = 16,
	NAME_BYTES = 256,
	FAILED = 1, /* exit status of a test */
	SKIPPED = 77,
};

typedef struct {
	pid_t pid; /* 0: unused */
	double ends_at;
	char name[NAME_BYTES];
} Job;

static SmallTest *tests;
static SmallSuite *suites;
static Job jobs[JOBS_MAX];
static unsigned tested, failed, crashed, skipped;
static bool has_failed; /* in a test's process */

void small_test_add(SmallTest *test)
{
	SmallTest **at = &tests;

	while (*at && (strcmp((*at)->suite, test->suite) < 0 ||
		       (!strcmp((*at)->suite, test->suite) && strcmp((*at)->name, test->name) < 0)))
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

void small_suite_add(SmallSuite *suite)
{
	suite->next = suites;
	suites = suite;
}

/* In a test's process. */

__attribute__((noreturn)) static void end_test(int status)
{
	fflush(NULL);
	_exit(status);
}

void small_fail(bool is_fatal, const char *file, int line, const char *text, const char *format,
		...)
{
	char message[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	printf("%s:%d: %s%s%s\n", file, line, text, *message ? ": " : "", message);
	has_failed = true;
	if (is_fatal)
		end_test(FAILED);
}

void small_skip(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	end_test(has_failed ? FAILED : SKIPPED);
}

static char redirected[] = "/tmp/unit-stderr-XXXXXX";

void cr_redirect_stderr(void)
{
	int fd = mkstemp(redirected);

	cr_assert(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	close(fd);
}

FILE *cr_get_redirected_stderr(void)
{
	FILE *file = fopen(redirected, "r");

	cr_assert(file);
	unlink(redirected);
	return file;
}

static const SmallSuite *suite_of(const SmallTest *test)
{
	static const SmallSuite none = { 0 };
	const SmallSuite *suite = suites;

	while (suite && strcmp(suite->name, test->suite))
		suite = suite->next;
	return suite ? suite : &none;
}

__attribute__((noreturn)) static void run(const SmallTest *test, void *row)
{
	const SmallSuite *suite = suite_of(test);

	if (suite->init)
		suite->init();
	test->run(row);
	if (suite->fini)
		suite->fini();
	end_test(has_failed ? FAILED : 0);
}

/* In the runner. */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void judge(Job *job, int status)
{
	tested++;
	if (WIFSIGNALED(status)) {
		crashed++;
		printf("[FAIL] %s: %s\n", job->name, strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status) == SKIPPED) {
		skipped++;
		printf("[SKIP] %s\n", job->name);
	} else if (WEXITSTATUS(status)) {
		failed++;
		printf("[FAIL] %s: exit status %d\n", job->name, WEXITSTATUS(status));
	}
	job->pid = 0;
}

/* Returns an unused job, or NULL: all of them run. */
static Job *look_after_jobs(unsigned count)
{
	Job *unused = NULL;

	for (unsigned i = 0; i < count; i++) {
		int status;

		if (jobs[i].pid && now() > jobs[i].ends_at)
			kill(-jobs[i].pid, SIGKILL);
		if (jobs[i].pid && waitpid(jobs[i].pid, &status, WNOHANG) == jobs[i].pid)
			judge(&jobs[i], status);
		if (!jobs[i].pid)
			unused = &jobs[i];
	}
	return unused;
}

static void wait_a_moment(void)
{
	static const struct timespec moment = { .tv_nsec = 2 * 1000 * 1000 };

	nanosleep(&moment, NULL);
}

static Job *wait_for_job(unsigned count)
{
	Job *job;

	while (!(job = look_after_jobs(count)))
		wait_a_moment();
	return job;
}

static void wait_for_all(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		while (jobs[i].pid) {
			wait_a_moment();
			look_after_jobs(count);
		}
}

static void start(const SmallTest *test, void *row, size_t number, unsigned jobs_count,
		  double seconds)
{
	Job *job = wait_for_job(jobs_count);
	double allowed = test->timeout > seconds ? test->timeout : seconds;

	snprintf(job->name, sizeof(job->name), row ? "%s/%s/%zu" : "%s/%s", test->suite, test->name,
		 number);
	job->ends_at = now() + allowed;
	fflush(NULL);
	job->pid = fork();
	if (job->pid < 0) {
		perror("fork");
		exit(1);
	}
	if (!job->pid) {
		setpgid(0, 0);
		run(test, row);
	}
	setpgid(job->pid, job->pid);
}

static void start_rows(const SmallTest *test, unsigned jobs_count, double seconds)
{
	struct criterion_test_params rows;

	if (!test->rows) {
		start(test, NULL, 0, jobs_count, seconds);
		return;
	}
	rows = test->rows();
	for (size_t i = 0; i < rows.length; i++)
		start(test, (char *)rows.params + i * rows.size, i, jobs_count, seconds);
}

static bool is_wanted(const SmallTest *test, const char *pattern)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s/%s", test->suite, test->name);
	return !fnmatch(pattern, name, 0);
}

int main(int arguments_count, char **arguments)
{
	double seconds = arguments_count > 1 ? atof(arguments[1]) : 300;
	const char *pattern = arguments_count > 2 ? arguments[2] : "*";
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned jobs_count = cpus < 1 ? 1 : cpus > JOBS_MAX ? JOBS_MAX : (unsigned)cpus;

	for (const SmallTest *test = tests; test; test = test->next)
		if (is_wanted(test, pattern))
			start_rows(test, jobs_count, seconds);
	wait_for_all(jobs_count);
	printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u | Skipped: "
	       "%u\n",
	       tested, tested - failed - crashed - skipped, failed, crashed, skipped);
	return failed + crashed || !tested;
}
