/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tasks/task_table.h"

#include "base/clock.h"
#include "collect/tasks/task_proc.h"
#include "collect/tasks/task_state.h"
#include "fake_host.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

TEST_SUITE_WITHOUT_LEAKS(task_table);

enum { SHELL = 100, MAKE = 200, THREAD = 201, CHILD = 300, GRANDCHILD = 400, GONE = 999 };

static const uint64_t second = NS_PER_SECOND;

/* A host with the processes that a test writes. */
typedef struct {
	FakeHost *root;
	TaskTable *table;
} Host;

static guint known_tasks(const TaskTable *table)
{
	return g_hash_table_size(table->tasks);
}

static bool is_counted(const TaskTable *table, uint32_t tgid)
{
	const Process *process = task_process_known(table, tgid);

	return process && process->is_counted;
}

static Host host_new(void)
{
	static const char *const folders[] = { "cg/shells", "cg/builds", NULL };
	Host host = { .root = fake_host_new() };

	fake_host_set_cgroups(host.root, "30 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n", folders);
	host.table = task_table_new(host.root);
	return host;
}

static void host_clear(Host *host)
{
	task_table_free(host->table);
	fake_host_free(host->root);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Host, host_clear)

/* A thread is found under its own id as well, as in the real /proc. */
static void write_thread(const char *root, unsigned tgid, unsigned tid, const char *comm)
{
	g_autofree char *listed = g_strdup_printf("task/%u/comm", tid);
	g_autofree char *text = g_strconcat(comm, "\n", NULL);

	fake_host_write_of_process(root, tgid, listed, text);
	fake_host_write_of_process(root, tid, "comm", text);
}

typedef struct {
	const char *name;
	unsigned parent, flags, threads;
	uint64_t start_ticks;
	char state; /* 0: it sleeps */
} Stat;

static void write_process_as(const char *root, unsigned tgid, const Stat *stat, const char *comm)
{
	g_autofree char *text = g_strdup_printf(
		"%u (%s) %c %u 1 1 0 -1 %u 5 5 5 5 5 5 5 5 20 0 %u 0 %" G_GUINT64_FORMAT
		" 77 88 18446744073709551615 1\n",
		tgid, stat->name, stat->state ? stat->state : 'S', stat->parent, stat->flags,
		stat->threads, stat->start_ticks);

	fake_host_write_of_process(root, tgid, "stat", text);
	write_thread(root, tgid, tgid, comm);
}

static void write_process(const char *root, unsigned tgid, const char *comm)
{
	Stat stat = { comm, 1, 0x400000, 1, 1000, 0 };

	write_process_as(root, tgid, &stat, comm);
}

/* It has ended, and its parent has not waited for it. */
static void write_zombie(const char *root, unsigned tgid, const char *comm)
{
	Stat stat = { comm, 1, 0x400000, 1, 1000, 'Z' };

	write_process_as(root, tgid, &stat, comm);
}

static void write_cgroup(const char *root, unsigned tgid, const char *line)
{
	fake_host_write_of_process(root, tgid, "cgroup", line);
}

static EventTask find(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns)
{
	TaskSample sample = { .tgid = tgid, .tid = tid, .time_ns = time_ns };
	EventTask task;

	memset(&task, 0x55, sizeof(task));
	task_table_find(table, &sample, &task);
	return task;
}

static bool is_counted_at(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns)
{
	TaskSample sample = { .tgid = tgid, .tid = tid, .time_ns = time_ns };
	EventTask task;

	return task_table_find(table, &sample, &task);
}

static void expect_comm(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns,
			const char *comm)
{
	char filled[KMT_COMM_BYTES] = { 0 };
	EventTask task = find(table, tgid, tid, time_ns);

	memcpy(filled, comm, strlen(comm));
	cr_expect(eq(u32, task.tgid, tgid));
	cr_expect(eq(u32, task.tid, tid));
	cr_expect(eq(int, memcmp(task.comm, filled, sizeof(filled)), 0), "%u is %.16s, not %s", tid,
		  task.comm, comm);
}

Test(task_table, a_scan_knows_processes_and_threads)
{
	g_auto(Host) host = host_new();
	Stat stat = { "make", SHELL, 0, 2, 5000, 0 };

	write_process(host.root, SHELL, "bash");
	write_process_as(host.root, MAKE, &stat, "make");
	write_thread(host.root, MAKE, THREAD, "job server");
	task_table_scan(host.table);
	temporary_remove(host.root); /* nothing is read again */
	cr_expect(eq(sz, known_tasks(host.table), 3));
	expect_comm(host.table, SHELL, SHELL, 1, "bash");
	expect_comm(host.table, MAKE, MAKE, 1, "make");
	expect_comm(host.table, MAKE, THREAD, 1, "job server");
}

/* Since Linux 6.4 they have their own names before their records of fork. */
Test(task_table, a_thread_of_the_kernel_is_not_called_as_who_made_it)
{
	enum { KTHREADD = 2, KWORKER = 300, SHORT = 301 };
	g_auto(Host) host = host_new();

	write_process(host.root, KTHREADD, "kthreadd");
	write_process(host.root, KWORKER, "kworker/0:1-events");
	task_table_fork(host.table, KWORKER, KWORKER, KTHREADD, KTHREADD, 5 * second);
	task_table_fork(host.table, SHORT, SHORT, KTHREADD, KTHREADD, 5 * second);
	expect_comm(host.table, KWORKER, KWORKER, 6 * second, "kworker/0:1");
	expect_comm(host.table, SHORT, SHORT, 6 * second, "[exited]");
	task_table_comm(host.table, SHORT, SHORT, "short", 5 * second + 1);
	expect_comm(host.table, SHORT, SHORT, 6 * second, "short");
}

Test(task_table, who_gets_a_pid_that_nobody_had_when_it_was_asked_for_is_not_counted)
{
	g_auto(Host) host = host_new();

	task_table_count(host.table, GONE);
	task_table_fork(host.table, GONE, GONE, SHELL, SHELL, 5 * second);
	cr_expect_not(is_counted_at(host.table, GONE, GONE, 6 * second));
}

Test(task_table, a_thread_has_the_name_of_its_leader_at_the_time)
{
	g_auto(Host) host = host_new();
	Stat stat = { "make", SHELL, 0, 2, 5000, 0 };
	EventTask unknown;

	write_process_as(host.root, MAKE, &stat, "make");
	write_thread(host.root, MAKE, THREAD, "job server");
	task_table_scan(host.table);
	task_table_comm(host.table, MAKE, MAKE, "make: all", 5 * second);
	cr_expect_str_eq(find(host.table, MAKE, THREAD, second).leader, "make");
	cr_expect_str_eq(find(host.table, MAKE, THREAD, 6 * second).leader, "make: all");
	cr_expect_str_eq(find(host.table, MAKE, MAKE, 6 * second).leader, "make: all");
	expect_comm(host.table, MAKE, THREAD, 6 * second, "job server");
	unknown = find(host.table, GONE, GONE + 1, second);
	cr_expect_str_eq(unknown.leader, "", "nobody knows its name");
}

Test(task_table, the_start_is_that_of_the_process_on_the_clock_of_events)
{
	g_auto(Host) host = host_new();
	uint64_t ticks = 40 * second, asleep_ns = clock_ns(CLOCK_BOOTTIME) - clock_monotonic_ns();
	uint64_t expected_ns = ticks * (second / (uint64_t)sysconf(_SC_CLK_TCK)) - asleep_ns;
	Stat stat = { "make", SHELL, 0, 2, ticks, 0 };
	EventTask leader, thread;

	write_process_as(host.root, MAKE, &stat, "make");
	write_thread(host.root, MAKE, THREAD, "worker");
	leader = find(host.table, MAKE, MAKE, 1);
	thread = find(host.table, MAKE, THREAD, 1);
	cr_expect(eq(u64, thread.start_time_ns, leader.start_time_ns));
	cr_expect(lt(i64, llabs((long long)(leader.start_time_ns - expected_ns)),
		     (int64_t)second / 100));
}

Test(task_table, a_start_before_the_host_slept_is_not_zero)
{
	g_auto(Host) host = host_new();
	Stat stat = { "init", 0, 0, 1, 0, 0 };

	write_process_as(host.root, SHELL, &stat, "init");
	cr_expect(eq(u64, find(host.table, SHELL, SHELL, 1).start_time_ns, 1));
}

Test(task_table, names_may_have_brackets_and_blanks)
{
	g_auto(Host) host = host_new();
	Stat odd = { "a) R 1 (b", 7, 0, 1, 123456789, 0 }, plain = { "a", 7, 0, 1, 123456789, 0 };

	write_process_as(host.root, SHELL, &odd, "a) R 1 (b");
	write_process_as(host.root, MAKE, &plain, "a\nb ");
	expect_comm(host.table, SHELL, SHELL, 1, "a) R 1 (b");
	expect_comm(host.table, MAKE, MAKE, 1, "a\nb ");
	cr_expect(eq(u64, find(host.table, SHELL, SHELL, 1).start_time_ns,
		     find(host.table, MAKE, MAKE, 1).start_time_ns));
}

Test(task_table, a_cut_stat_has_no_start)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	fake_host_write_of_process(host.root, 100, "stat", "100 (bash) S 1 2 3");
	expect_comm(host.table, SHELL, SHELL, 1, "bash");
	cr_expect(eq(u64, find(host.table, SHELL, SHELL, 1).start_time_ns, 0));
}

Test(task_table, a_worker_has_the_name_that_the_kernel_gives_it)
{
	static const struct {
		const char *shown, *comm;
		unsigned flags;
	} names[] = {
		{ "kworker/0:1-events", "kworker/0:1", 0x4208060 },
		{ "kworker/u17:3+flush-259:0", "kworker/u17:3", 0x4208060 },
		{ "kworker/1:0H-kblockd", "kworker/1:0H", 0x4208060 },
		{ "kworker/2:2", "kworker/2:2", 0x4208060 },
		{ "kworker/R-nvme-wq", "kworker/R-nvme-", 0x4208060 },
		{ "kworker/R-kvfree_rcu_reclaim", "kworker/R-kvfre", 0x4208060 },
		{ "irq/123-long-name-of-a-thread", "irq/123-long-na", 0x208040 },
		{ "kworker/0:1-user", "kworker/0:1-use", 0x400000 },
	};
	g_auto(Host) host = host_new();

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		Stat stat = { names[i].shown, 2, names[i].flags, 1, 10, 0 };

		write_process_as(host.root, SHELL + i, &stat, names[i].shown);
		expect_comm(host.table, SHELL + i, SHELL + i, 1, names[i].comm);
	}
}

Test(task_table, an_event_has_the_name_of_its_time)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_scan(host.table);
	task_table_comm(host.table, SHELL, SHELL, "ls", 1000);
	task_table_comm(host.table, SHELL, SHELL, "a name of 15 by", 2000);
	expect_comm(host.table, SHELL, SHELL, 999, "bash");
	expect_comm(host.table, SHELL, SHELL, 1000, "ls");
	expect_comm(host.table, SHELL, SHELL, 1999, "ls");
	expect_comm(host.table, SHELL, SHELL, 2000, "a name of 15 by");
}

Test(task_table, names_of_other_cpus_may_come_later)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_comm(host.table, SHELL, SHELL, "fourth", 4000);
	task_table_comm(host.table, SHELL, SHELL, "second", 2000);
	task_table_comm(host.table, SHELL, SHELL, "third", 3000);
	task_table_comm(host.table, SHELL, SHELL, "first", 1000);
	expect_comm(host.table, SHELL, SHELL, 500, "bash");
	expect_comm(host.table, SHELL, SHELL, 1500, "first");
	expect_comm(host.table, SHELL, SHELL, 2500, "second");
	expect_comm(host.table, SHELL, SHELL, 3500, "third");
	expect_comm(host.table, SHELL, SHELL, 4500, "fourth");
}

/* Gives the shell so many names, n1 from 10 ns on, n2 from 20 ns on ... */
static void name_often(const Host *host, unsigned count)
{
	for (unsigned i = 1; i <= count; i++) {
		/* Each pair comes in the wrong order. */
		unsigned number = i % 2 ? i + 1 : i - 1;
		g_autofree char *name = g_strdup_printf("n%u", number);

		task_table_comm(host->table, SHELL, SHELL, name, number * 10);
	}
}

static void expect_numbered(const Host *host, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++) {
		g_autofree char *name = g_strdup_printf("n%u", i);

		expect_comm(host->table, SHELL, SHELL, i * 10 + 5, name);
	}
}

Test(task_table, all_names_are_kept_until_they_are_settled)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	name_often(&host, 1000);
	expect_numbered(&host, 1, 1000);
	expect_comm(host.table, SHELL, SHELL, 5, "bash");
	task_table_settle(host.table, 5005);
	expect_numbered(&host, 500, 1000);
	task_table_settle(host.table, 10005);
	expect_numbered(&host, 1000, 1000);
}

/* 2^14 of them have room. */
Test(task_table, a_name_without_room_is_unknown_not_a_later_one)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	name_often(&host, 50000);
	expect_numbered(&host, 50000 - 8000, 50000);
	expect_comm(host.table, SHELL, SHELL, 5, "[name unknown]");
	expect_comm(host.table, SHELL, SHELL, 100005, "[name unknown]");
	task_table_settle(host.table, 499995);
	expect_numbered(&host, 49999, 50000);
}

Test(task_table, children_begin_with_the_name_of_their_parent_at_that_time)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_comm(host.table, SHELL, SHELL, "before", 1000);
	task_table_comm(host.table, SHELL, SHELL, "after", 3000);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 2000);
	task_table_fork(host.table, SHELL, THREAD, SHELL, SHELL, 4000);
	task_table_comm(host.table, CHILD, CHILD, "cc1", 5000);
	expect_comm(host.table, CHILD, CHILD, 2500, "before");
	expect_comm(host.table, CHILD, CHILD, 5500, "cc1");
	expect_comm(host.table, SHELL, THREAD, 5500, "after");
	cr_expect(eq(u64, find(host.table, CHILD, CHILD, 2500).start_time_ns, 2000));
	cr_expect(eq(u64, find(host.table, SHELL, THREAD, 4500).start_time_ns,
		     find(host.table, SHELL, SHELL, 4500).start_time_ns));
}

Test(task_table, what_a_parent_had_reaches_children_that_were_reported_earlier)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_scan(host.table);
	task_table_set_inherit(host.table, true);
	task_table_count(host.table, SHELL);
	/* In the order of the CPUs they ran on, the last one first. */
	task_table_comm(host.table, GRANDCHILD, GRANDCHILD, "ld", 5000);
	task_table_fork(host.table, GRANDCHILD, GRANDCHILD, CHILD, CHILD, 4000);
	expect_comm(host.table, GRANDCHILD, GRANDCHILD, 4500, "[exited]");
	task_table_comm(host.table, CHILD, CHILD, "cc1", 3000);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 2000);
	task_table_comm(host.table, SHELL, SHELL, "make", 1000);
	expect_comm(host.table, CHILD, CHILD, 2500, "make");
	expect_comm(host.table, CHILD, CHILD, 3500, "cc1");
	expect_comm(host.table, GRANDCHILD, GRANDCHILD, 4500, "cc1");
	expect_comm(host.table, GRANDCHILD, GRANDCHILD, 5500, "ld");
	cr_expect(is_counted(host.table, GRANDCHILD));
	cr_expect(is_counted_at(host.table, GRANDCHILD, GRANDCHILD, 4500));
}

Test(task_table, a_late_name_of_a_parent_reaches_its_children)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 2000);
	task_table_comm(host.table, SHELL, SHELL, "make", 1000);
	expect_comm(host.table, CHILD, CHILD, 2500, "make");
}

Test(task_table, late_beginnings_reach_all_descendants)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_set_inherit(host.table, true);
	task_table_count(host.table, SHELL);
	for (uint32_t tid = 310; tid > CHILD; tid--)
		task_table_fork(host.table, tid, tid, tid - 1, tid - 1, tid * 10);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, CHILD * 10);
	expect_comm(host.table, 310, 310, 5000, "bash");
	cr_expect(is_counted_at(host.table, 310, 310, 5000));
}

Test(task_table, a_reused_pid_is_another_process)
{
	g_auto(Host) host = host_new();
	uint64_t reused_ns = 100 * second;

	write_process(host.root, SHELL, "bash");
	task_table_scan(host.table);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	task_table_count(host.table, CHILD);
	task_table_comm(host.table, CHILD, CHILD, "old", 2000);
	/* Another CPU reports the end of the old one later. */
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, reused_ns);
	task_table_exit(host.table, CHILD, CHILD, 3000);
	expect_comm(host.table, CHILD, CHILD, 2500, "old");
	expect_comm(host.table, CHILD, CHILD, reused_ns, "bash");
	cr_expect(eq(u64, find(host.table, CHILD, CHILD, 2500).start_time_ns, 1000));
	cr_expect(eq(u64, find(host.table, CHILD, CHILD, reused_ns).start_time_ns, reused_ns));
	cr_expect(is_counted_at(host.table, CHILD, CHILD, 2500));
	cr_expect(not(is_counted_at(host.table, CHILD, CHILD, reused_ns)));
	/* The new one lives on. */
	task_table_settle(host.table, reused_ns + 10 * second);
	expect_comm(host.table, CHILD, CHILD, reused_ns + 10 * second, "bash");
	cr_expect(eq(sz, known_tasks(host.table), 2));
}

Test(task_table, a_pid_reused_at_once_is_another_process)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	task_table_count(host.table, CHILD);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 2000);
	cr_expect(eq(u64, find(host.table, CHILD, CHILD, 2500).start_time_ns, 2000));
	cr_expect(not(is_counted_at(host.table, CHILD, CHILD, 2500)));
}

/* The child of a command between two others, and a later life of the command itself. */
static void expect_lives_of_a_pid(TaskTable *table)
{
	cr_expect(not(is_counted_at(table, CHILD, CHILD, 1500)));
	cr_expect(is_counted_at(table, CHILD, CHILD, 2500));
	cr_expect(not(is_counted_at(table, CHILD, CHILD, 3500)));
	cr_expect(is_counted_at(table, CHILD, CHILD, 4500));
	cr_expect(eq(u64, find(table, CHILD, CHILD, 2500).start_time_ns, 2000));
	expect_comm(table, CHILD, CHILD, 1500, "bash");
	expect_comm(table, CHILD, CHILD, 2250, "make");
	expect_comm(table, CHILD, CHILD, 2500, "cc");
	expect_comm(table, CHILD, CHILD, 3500, "bash");
}

static Host host_with_command(void)
{
	Host host = host_new();

	write_process(host.root, SHELL, "bash");
	write_process(host.root, MAKE, "make");
	task_table_scan(host.table);
	task_table_set_inherit(host.table, true);
	task_table_count(host.table, MAKE);
	return host;
}

Test(task_table, a_pid_may_have_many_lives_before_their_events_are_read)
{
	g_auto(Host) host = host_with_command();

	for (unsigned life = 0; life < 4; life++) {
		uint32_t parent = life % 2 ? MAKE : SHELL;

		task_table_fork(host.table, CHILD, CHILD, parent, parent, 1000 + life * 1000);
		if (life == 1)
			task_table_comm(host.table, CHILD, CHILD, "cc", 2400);
		task_table_exit(host.table, CHILD, CHILD, 1900 + life * 1000);
	}
	expect_lives_of_a_pid(host.table);
	task_table_settle(host.table, 3100);
	cr_expect(not(is_counted_at(host.table, CHILD, CHILD, 3500)));
	cr_expect(is_counted_at(host.table, CHILD, CHILD, 4500));
	/* What is older is forgotten. */
	cr_expect(not(is_counted_at(host.table, CHILD, CHILD, 2500)));
}

Test(task_table, lives_of_a_pid_may_be_recorded_in_any_order)
{
	g_auto(Host) host = host_with_command();

	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	task_table_comm(host.table, CHILD, CHILD, "cc", 2400);
	task_table_exit(host.table, CHILD, CHILD, 2900);
	task_table_fork(host.table, CHILD, CHILD, MAKE, MAKE, 4000);
	/* The records of another CPU. */
	task_table_exit(host.table, CHILD, CHILD, 1900);
	task_table_fork(host.table, CHILD, CHILD, MAKE, MAKE, 2000);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 3000);
	task_table_exit(host.table, CHILD, CHILD, 3900);
	expect_lives_of_a_pid(host.table);
	task_table_settle(host.table, 30 * second);
	cr_expect(is_counted_at(host.table, CHILD, CHILD, 30 * second));
}

Test(task_table, a_reused_tid_does_not_end_with_its_former_thread)
{
	g_auto(Host) host = host_new();

	write_process(host.root, MAKE, "make");
	task_table_fork(host.table, MAKE, THREAD, MAKE, MAKE, 1000);
	task_table_fork(host.table, MAKE, THREAD, MAKE, MAKE, 5000);
	task_table_exit(host.table, MAKE, THREAD, 4000);
	/* Likewise where that one is not known. */
	task_table_fork(host.table, MAKE, THREAD + 1, MAKE, MAKE, 5000);
	task_table_exit(host.table, MAKE, THREAD + 1, 4000);
	task_table_settle(host.table, 10 * second);
	cr_expect(eq(sz, known_tasks(host.table), 3));
}

Test(task_table, a_tid_reused_by_another_process_has_no_events_of_the_old_one)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	write_process(host.root, MAKE, "make");
	task_table_scan(host.table);
	task_table_fork(host.table, SHELL, THREAD, SHELL, SHELL, 5000);
	/* Its beginning is kept by nobody, and the new one's name is not its own. */
	expect_comm(host.table, MAKE, THREAD, 4000, "[exited]");
	expect_comm(host.table, SHELL, THREAD, 5000, "bash");
	/* The events of a third one are not those of the one before, either. */
	task_table_fork(host.table, MAKE, THREAD, MAKE, MAKE, 6000);
	expect_comm(host.table, SHELL, THREAD, 5500, "bash");
	expect_comm(host.table, CHILD, THREAD, 5500, "[exited]");
	task_table_settle(host.table, 6000);
	expect_comm(host.table, SHELL, THREAD, 5500, "[exited]");
	expect_comm(host.table, MAKE, THREAD, 6500, "make");
}

Test(task_table, a_tid_whose_records_were_lost_is_read_again)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	write_process(host.root, MAKE, "make");
	write_thread(host.root, SHELL, THREAD, "of bash");
	expect_comm(host.table, SHELL, THREAD, 1000, "of bash");
	write_thread(host.root, MAKE, THREAD, "of make");
	expect_comm(host.table, MAKE, THREAD, 2000, "of make");
	expect_comm(host.table, MAKE, THREAD, 3000, "of make");
}

Test(task_table, a_process_read_before_its_record_came_stays_the_same)
{
	g_auto(Host) host = host_new();
	Stat stat = { "cc1", SHELL, 0, 1, 20 * (uint64_t)sysconf(_SC_CLK_TCK), 0 };
	uint64_t start_ns;

	write_process(host.root, SHELL, "bash");
	write_process_as(host.root, CHILD, &stat, "cc1");
	task_table_scan(host.table);
	task_table_count(host.table, CHILD);
	start_ns = find(host.table, CHILD, CHILD, 30 * second).start_time_ns;
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, start_ns + second / 200);
	cr_expect(eq(u64, find(host.table, CHILD, CHILD, 30 * second).start_time_ns, start_ns));
	cr_expect(is_counted_at(host.table, CHILD, CHILD, 30 * second));
}

Test(task_table, what_ended_is_forgotten_when_its_events_were_read)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_scan(host.table);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	task_table_exit(host.table, CHILD, CHILD, 2000);
	task_table_settle(host.table, 2001);
	/* It frees what it had after it began to end. */
	expect_comm(host.table, CHILD, CHILD, 3000, "bash");
	cr_expect(eq(sz, known_tasks(host.table), 2));
	task_table_settle(host.table, 2 * second);
	cr_expect(eq(sz, known_tasks(host.table), 1));
	expect_comm(host.table, SHELL, SHELL, 2 * second, "bash");
}

/* As the kernel reports a process that executes a file which it may not read. */
Test(task_table, a_process_that_lives_on_after_its_record_of_exit_stays_counted)
{
	g_auto(Host) host = host_new();

	write_process(host.root, MAKE, "make");
	task_table_count(host.table, MAKE);
	task_table_comm(host.table, MAKE, MAKE, "sudo", 1000);
	task_table_exit(host.table, MAKE, MAKE, 1006);
	task_table_settle(host.table, 3 * second);
	cr_expect(is_counted_at(host.table, MAKE, MAKE, 3 * second));
	expect_comm(host.table, MAKE, MAKE, 3 * second, "sudo");
	/* Its true end. */
	task_table_exit(host.table, MAKE, MAKE, 4 * second);
	write_zombie(host.root, MAKE, "sudo");
	task_table_settle(host.table, 6 * second);
	cr_expect(eq(sz, known_tasks(host.table), 0));
}

Test(task_table, another_process_of_the_same_id_does_not_live_on)
{
	const Stat other = { "other", 1, 0x400000, 1, 500000, 0 };
	g_auto(Host) host = host_new();

	write_process(host.root, MAKE, "make");
	task_table_count(host.table, MAKE);
	task_table_exit(host.table, MAKE, MAKE, 2000);
	write_process_as(host.root, MAKE, &other, "other");
	task_table_settle(host.table, 3 * second);
	cr_expect(eq(sz, known_tasks(host.table), 0));
}

Test(task_table, an_end_reported_before_its_beginning_ends_it)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_exit(host.table, CHILD, CHILD, 3000);
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	expect_comm(host.table, CHILD, CHILD, 2000, "bash");
	cr_expect(eq(u64, find(host.table, CHILD, CHILD, 2000).start_time_ns, 1000));
	task_table_settle(host.table, 2 * second);
	cr_expect(eq(sz, known_tasks(host.table), 1));
}

Test(task_table, a_leader_that_ended_stands_for_its_process_until_the_last_thread_ends)
{
	g_auto(Host) host = host_new();

	write_process(host.root, MAKE, "make");
	task_table_count(host.table, MAKE);
	task_table_fork(host.table, MAKE, THREAD, MAKE, MAKE, 1000);
	task_table_exit(host.table, MAKE, MAKE, 2000);
	task_table_settle(host.table, 5 * second);
	task_table_fork(host.table, MAKE, THREAD + 1, MAKE, THREAD, 6 * second);
	cr_expect(is_counted_at(host.table, MAKE, THREAD + 1, 6 * second));
	task_table_exit(host.table, MAKE, THREAD, 7 * second);
	task_table_exit(host.table, MAKE, THREAD + 1, 7 * second);
	write_zombie(host.root, MAKE, "make");
	for (unsigned i = 0; i < 2; i++)
		task_table_settle(host.table, 10 * second);
	cr_expect(eq(sz, known_tasks(host.table), 0));
}

Test(task_table, settling_keeps_the_names_in_force)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	task_table_comm(host.table, SHELL, SHELL, "first", 1000);
	task_table_comm(host.table, SHELL, SHELL, "second", 2000);
	task_table_comm(host.table, SHELL, SHELL, "third", 3000);
	task_table_settle(host.table, 2500);
	expect_comm(host.table, SHELL, SHELL, 2500, "second");
	expect_comm(host.table, SHELL, SHELL, 3000, "third");
	expect_comm(host.table, SHELL, SHELL, 500, "second"); /* which nobody asks for now */
	task_table_settle(host.table, 3500);
	expect_comm(host.table, SHELL, SHELL, 500, "third");
	cr_expect(eq(sz, known_tasks(host.table), 1));
}

/* In the order that the kernel writes: the leader ends, then a thread has its tid. */
static void take_over(Host *host, bool in_order)
{
	write_process(host->root, MAKE, "make");
	task_table_fork(host->table, MAKE, THREAD, MAKE, MAKE, 1000);
	task_table_comm(host->table, MAKE, THREAD, "worker", 1500);
	if (in_order)
		task_table_exit(host->table, MAKE, MAKE, 2000);
	task_table_comm(host->table, MAKE, MAKE, "echo", 3000);
	task_table_fork(host->table, MAKE, THREAD + 1, MAKE, MAKE, 4000);
	task_table_comm(host->table, MAKE, MAKE, "renamed", 5000);
	if (!in_order)
		task_table_exit(host->table, MAKE, MAKE, 2000);
	expect_comm(host->table, MAKE, MAKE, 1800, "make");
	expect_comm(host->table, MAKE, THREAD, 2500, "worker");
	expect_comm(host->table, MAKE, MAKE, 3500, "echo");
	/* The thread's own tid has gone without a record; what came after the execve lives. */
	task_table_settle(host->table, 10 * second);
	cr_expect(eq(sz, known_tasks(host->table), 2));
	expect_comm(host->table, MAKE, MAKE, 10 * second, "renamed");
	expect_comm(host->table, MAKE, THREAD + 1, 10 * second, "echo");
}

Test(task_table, an_execve_of_a_thread_makes_it_the_leader)
{
	g_auto(Host) host = host_new();

	take_over(&host, true);
}

Test(task_table, an_execve_of_a_thread_may_be_reported_before_the_leaders_end)
{
	g_auto(Host) host = host_new();

	take_over(&host, false);
}

Test(task_table, a_gone_task_is_looked_for_once)
{
	g_auto(Host) host = host_new();

	expect_comm(host.table, GONE, GONE, 1000, "[exited]");
	write_process(host.root, GONE, "another");
	expect_comm(host.table, GONE, GONE, 2000, "[exited]");
	/* Until a record names it. */
	task_table_comm(host.table, GONE, GONE, "new", 3000);
	expect_comm(host.table, GONE, GONE, 3000, "new");
	task_table_fork(host.table, GONE, GONE, SHELL, SHELL, 4000);
	cr_expect(eq(u64, find(host.table, GONE, GONE, 4000).start_time_ns, 4000));
}

Test(task_table, a_child_of_an_unknown_parent_has_its_own_name)
{
	g_auto(Host) host = host_new();

	write_process(host.root, CHILD, "own");
	task_table_fork(host.table, CHILD, CHILD, 0, 0, 1000);
	expect_comm(host.table, CHILD, CHILD, 1000, "own");
	cr_expect(eq(sz, known_tasks(host.table), 1));
	write_process(host.root, GRANDCHILD, "own as well");
	task_table_fork(host.table, GRANDCHILD, GRANDCHILD, GONE, GONE, 1000);
	expect_comm(host.table, GRANDCHILD, GRANDCHILD, 1000, "own as well");
}

Test(task_table, idle_tasks_are_named_by_their_cpu)
{
	static const struct {
		uint32_t cpu;
		const char *name;
	} cpus[] = {
		{ 0, "swapper/0" },
		{ 9, "swapper/9" },
		{ 10, "swapper/10" },
		{ 1203, "swapper/1203" },
		{ UINT32_MAX, "swapper/4294967" },
	};
	g_auto(Host) host = host_new();
	TaskSample sample = { 0 };
	EventTask task;

	for (unsigned i = 0; i < G_N_ELEMENTS(cpus); i++) {
		sample.cpu = cpus[i].cpu;
		cr_expect(not(task_table_find(host.table, &sample, &task)));
		cr_expect(eq(str, task.comm, (char *)cpus[i].name));
		cr_expect(eq(u32, task.tgid, 0));
	}
	cr_expect(eq(sz, known_tasks(host.table), 0));
}

Test(task_table, an_unknown_id_is_that_of_its_tid_or_of_nobody)
{
	g_auto(Host) host = host_new();
	EventTask task;

	write_process(host.root, MAKE, "make");
	task_table_fork(host.table, MAKE, THREAD, MAKE, MAKE, 1000);
	task = find(host.table, TASK_ID_UNKNOWN, THREAD, 2000);
	cr_expect(eq(u32, task.tgid, MAKE));
	cr_expect(eq(str, task.comm, (char *)"make"));
	task = find(host.table, TASK_ID_UNKNOWN, TASK_ID_UNKNOWN, 2000);
	cr_expect(eq(u32, task.tgid, 0));
	cr_expect(eq(u32, task.tid, 0));
	cr_expect(eq(str, task.comm, (char *)""));
	cr_expect(eq(sz, known_tasks(host.table), 2));
}

Test(task_table, a_command_counts_with_its_descendants)
{
	g_auto(Host) host = host_new();
	Stat lost = { "lost", CHILD, 0, 1, 10, 0 };

	write_process(host.root, SHELL, "bash");
	write_process(host.root, MAKE, "make");
	write_process_as(host.root, GRANDCHILD, &lost, "lost");
	task_table_set_inherit(host.table, true);
	task_table_count(host.table, MAKE);
	task_table_fork(host.table, CHILD, CHILD, MAKE, MAKE, 1000);
	task_table_fork(host.table, CHILD, THREAD, CHILD, CHILD, 2000);
	cr_expect(is_counted_at(host.table, MAKE, MAKE, 3000));
	cr_expect(is_counted_at(host.table, CHILD, CHILD, 3000));
	cr_expect(is_counted_at(host.table, CHILD, THREAD, 3000));
	cr_expect(is_counted_at(host.table, GRANDCHILD, GRANDCHILD, 3000)); /* by its parent */
	cr_expect(not(is_counted_at(host.table, SHELL, SHELL, 3000)));
	cr_expect(not(is_counted(host.table, GONE)));
	cr_expect(not(is_counted(host.table, THREAD)));
}

Test(task_table, a_process_counts_with_its_threads_alone)
{
	g_auto(Host) host = host_new();

	write_process(host.root, MAKE, "make");
	task_table_count(host.table, MAKE);
	task_table_fork(host.table, MAKE, THREAD, MAKE, MAKE, 1000);
	task_table_fork(host.table, CHILD, CHILD, MAKE, THREAD, 2000);
	cr_expect(is_counted_at(host.table, MAKE, THREAD, 3000));
	cr_expect(not(is_counted_at(host.table, CHILD, CHILD, 3000)));
}

static uint64_t cgroup_of(const Host *host, uint32_t tgid, uint64_t sampled)
{
	TaskSample sample = { .tgid = tgid, .tid = tgid, .cgroup_id = sampled, .time_ns = second };
	EventTask task;

	task_table_find(host->table, &sample, &task);
	return task.cgroup_id;
}

static uint64_t folder_inode(const Host *host, const char *name)
{
	g_autofree char *path = g_build_filename(host->root, "cg", name, NULL);

	return task_cgroup_folder_id(path);
}

Test(task_table, cgroups_are_those_sampled_or_those_of_the_parent_or_read)
{
	g_auto(Host) host = host_new();
	uint64_t shells = folder_inode(&host, "shells"), builds = folder_inode(&host, "builds");

	write_process(host.root, SHELL, "bash");
	write_cgroup(host.root, SHELL, "0::/shells\n");
	cr_expect(eq(u64, cgroup_of(&host, SHELL, 4711), 4711));
	cr_expect(eq(u64, cgroup_of(&host, SHELL, 0), shells));
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	cr_expect(eq(u64, cgroup_of(&host, CHILD, 0), shells));
	/* Whoever starts a program moves it into its cgroup first. */
	write_cgroup(host.root, CHILD, "0::/builds\n");
	task_table_comm(host.table, CHILD, CHILD, "make", 2000);
	cr_expect(eq(u64, cgroup_of(&host, CHILD, 0), builds));
	/* Where its thread is gone, what was known stays. */
	write_cgroup(host.root, CHILD, "");
	task_table_comm(host.table, CHILD, CHILD, "ld", 3000);
	cr_expect(eq(u64, cgroup_of(&host, CHILD, 0), builds));
	cr_expect(eq(u64, cgroup_of(&host, 0, 0), folder_inode(&host, "")));
}

/* Where the v1 memory controller's hierarchy counts, no sample has its cgroup. */
Test(task_table, a_child_that_was_never_read_has_the_cgroup_of_its_parent_at_the_start)
{
	g_auto(Host) host = host_new();
	uint64_t shells = folder_inode(&host, "shells");

	write_process(host.root, SHELL, "bash");
	write_cgroup(host.root, SHELL, "0::/shells\n");
	task_table_scan(host.table);
	/* All of them are gone before any record is read. */
	write_cgroup(host.root, SHELL, "");
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	task_table_comm(host.table, CHILD, CHILD, "make", 2000);
	task_table_fork(host.table, GRANDCHILD, GRANDCHILD, CHILD, CHILD, 3000);
	cr_expect(eq(u64, cgroup_of(&host, CHILD, 0), shells));
	cr_expect(eq(u64, cgroup_of(&host, GRANDCHILD, 0), shells));
}

Test(task_table, a_child_of_a_parent_without_a_cgroup_has_its_own_read)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	write_cgroup(host.root, CHILD, "0::/builds\n");
	task_table_fork(host.table, CHILD, CHILD, SHELL, SHELL, 1000);
	cr_expect(eq(u64, cgroup_of(&host, CHILD, 0), folder_inode(&host, "builds")));
}

Test(task_table, no_process_makes_its_cgroup_be_read_without_end)
{
	g_auto(Host) host = host_new();

	write_process(host.root, SHELL, "bash");
	write_cgroup(host.root, SHELL, "0::/shells\n");
	for (unsigned i = 1; i < 10; i++) {
		cr_expect(eq(u64, cgroup_of(&host, SHELL, 0), folder_inode(&host, "shells")));
		task_table_comm(host.table, SHELL, SHELL, "again", i * 1000);
	}
	write_cgroup(host.root, SHELL, "0::/builds\n");
	cr_expect(eq(u64, cgroup_of(&host, SHELL, 0), folder_inode(&host, "shells")));
}

/* Where samples do not contain the cgroup, nothing tells of a move. */
Test(task_table, a_move_without_an_exec_is_noticed_within_a_second)
{
	g_auto(Host) host = host_new();
	uint64_t shells = folder_inode(&host, "shells"), builds = folder_inode(&host, "builds");

	write_process(host.root, SHELL, "bash");
	write_cgroup(host.root, SHELL, "0::/shells\n");
	task_table_settle(host.table, 10 * second);
	cr_expect(eq(u64, cgroup_of(&host, SHELL, 0), shells));
	write_cgroup(host.root, SHELL, "0::/builds\n");
	task_table_settle(host.table, 11 * second - 1);
	cr_expect(eq(u64, cgroup_of(&host, SHELL, 0), shells));
	task_table_settle(host.table, 11 * second);
	cr_expect(eq(u64, cgroup_of(&host, SHELL, 0), builds));
	cr_expect(not(task_table_has_unread_cgroups(host.table)));
	/* Where its first thread is gone, what was known stays. */
	write_cgroup(host.root, SHELL, "");
	task_table_settle(host.table, 12 * second);
	cr_expect(eq(u64, cgroup_of(&host, SHELL, 0), builds));
}

Test(task_table, cgroups_that_too_many_processes_may_have_left_are_reported)
{
	enum { FIRST = 10000, BOUND = 2000 };
	g_auto(Host) host = host_new();

	task_table_settle(host.table, 10 * second);
	for (unsigned i = 0; i < BOUND; i++)
		cgroup_of(&host, FIRST + i, 0);
	cr_expect(not(task_table_has_unread_cgroups(host.table)));
	cgroup_of(&host, FIRST + BOUND, 0);
	cr_expect(task_table_has_unread_cgroups(host.table));
}

Test(task_table, a_host_without_proc_has_only_what_records_have)
{
	g_autoptr(TaskTable) table = task_table_new("/nonexistent");

	task_table_scan(table);
	expect_comm(table, GONE, GONE, 1000, "[exited]");
	task_table_comm(table, GONE, GONE, "new", 2000);
	expect_comm(table, GONE, GONE, 2000, "new");
}

/* In a container those of other containers have zeros for all their ids. */
Test(task_table, records_of_tasks_outside_of_the_container_are_left_out)
{
	g_auto(Host) host = host_new();

	task_table_fork(host.table, 0, 0, 0, 0, 1000);
	task_table_comm(host.table, 0, 0, "outside", 2000);
	task_table_exit(host.table, 0, 0, 3000);
	cr_expect(eq(sz, known_tasks(host.table), 0));
}

/* Records in no order at all, as a damaged buffer might give: nothing leaks or breaks, and what
   ends is forgotten. */
Test(task_table, any_records_are_survived)
{
	enum { ROUNDS = 200, RECORDS = 100, IDS = 12 };
	g_autoptr(TaskTable) table = task_table_new("/nonexistent");
	g_autoptr(GRand) random = g_rand_new_with_seed(5);

	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < RECORDS; i++) {
			uint32_t a = (uint32_t)g_rand_int_range(random, 0, IDS);
			uint32_t b = (uint32_t)g_rand_int_range(random, 0, IDS);
			uint32_t c = (uint32_t)g_rand_int_range(random, 0, IDS);
			uint64_t time_ns =
				round * 1000 + (uint64_t)g_rand_int_range(random, 0, 999);

			switch (g_rand_int_range(random, 0, 4)) {
			case 0:
				task_table_comm(table, a, b, "name", time_ns);
				break;
			case 1:
				task_table_fork(table, a, b, a == b ? c : a, c, time_ns);
				break;
			case 2:
				task_table_exit(table, a, b, time_ns);
				break;
			default:
				find(table, a, b, time_ns);
			}
		}
		task_table_settle(table, round * 1000);
	}
	for (uint32_t tid = 0; tid < IDS; tid++)
		task_table_exit(table, TASK_ID_UNKNOWN, tid, ROUNDS * 1000);
	for (unsigned i = 0; i < 2; i++)
		task_table_settle(table, 10 * second);
	cr_expect(eq(sz, known_tasks(table), 0));
}

Test(task_table, on_this_host_we_are_found)
{
	static const char name[] = "task) table";
	g_autoptr(TaskTable) scanned = task_table_new(""), unscanned = task_table_new("");
	uint32_t tgid = (uint32_t)getpid(), tid = (uint32_t)syscall(SYS_gettid);
	uint64_t now_ns = clock_monotonic_ns();
	EventTask task;

	prctl(PR_SET_NAME, name);
	task_table_scan(scanned);
	expect_comm(scanned, tgid, tid, now_ns, name);
	expect_comm(unscanned, tgid, tid, now_ns, name);
	task = find(unscanned, tgid, tid, now_ns);
	cr_expect(eq(u64, task.start_time_ns, find(scanned, tgid, tid, now_ns).start_time_ns));
	/* Criterion starts a process for each test. */
	cr_expect(lt(u64, task.start_time_ns, now_ns));
	cr_expect(lt(u64, now_ns - MIN(now_ns, 60 * second), task.start_time_ns));
}

Test(task_table, on_this_host_a_process_that_went_is_exited)
{
	g_autoptr(TaskTable) table = task_table_new("");
	pid_t child = fork();

	if (!child)
		_exit(0);
	cr_assert(eq(int, waitpid(child, NULL, 0), child));
	expect_comm(table, (uint32_t)child, (uint32_t)child, clock_monotonic_ns(), "[exited]");
}
