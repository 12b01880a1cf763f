/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tasks/task_proc.h"

#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(task_births);

/* Of Linux 6.18. */
static const char format[] =
	"name: task_newtask\n"
	"ID: 205\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	"\tfield:u64 clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:short oom_score_adj;\toffset:40;\tsize:2;\tsigned:1;\n"
	"\n"
	"print fmt: \"pid=%d\", REC->pid\n";

typedef struct {
	uint16_t type;
	uint8_t flags[6];
	int32_t pid;
	char comm[16];
	uint64_t clone_flags;
	uint64_t rest;
} Record;

/* Opens what the folder events/kmem of a host is beside. */
static TaskBirths *births_of(const char *text)
{
	g_autoptr(FakeHost) host = fake_host_new();
	TaskBirths *births;
	int fd;

	fake_host_write(host, FAKE_HOST_TRACEFS "/events/kmem/enable", "0\n");
	if (text)
		fake_host_add_tracepoint(host, "task/task_newtask", text);
	fd = fake_host_open_tracepoints(host, "kmem");
	births = task_births_open(fd);
	close(fd);
	return births;
}

Test(task_births, a_record_has_the_name_of_the_new_task)
{
	g_autoptr(TaskBirths) births = births_of(format);
	Record record = { .type = 205, .pid = 77, .comm = "kworker/0:1", .clone_flags = 0x800100 };
	TaskBirth birth;

	cr_assert_not_null(births);
	cr_expect_eq(task_births_id(births), 205);
	cr_assert(task_births_read(births, (const uint8_t *)&record, sizeof(record), &birth));
	cr_expect_eq(birth.tid, 77);
	cr_expect_not(birth.is_thread);
	cr_expect_str_eq(birth.comm, "kworker/0:1");
	record.clone_flags |= 0x10000;
	memset(record.comm, 'x', sizeof(record.comm));
	cr_assert(task_births_read(births, (const uint8_t *)&record, sizeof(record), &birth));
	cr_expect(birth.is_thread);
	cr_expect_str_eq(birth.comm, "xxxxxxxxxxxxxxxx");
}

Test(task_births, other_records_and_cut_ones_are_refused)
{
	g_autoptr(TaskBirths) births = births_of(format);
	Record record = { .type = 205 }, other = { .type = 206 };
	TaskBirth birth;

	cr_assert_not_null(births);
	for (uint32_t bytes = 0; bytes < 40; bytes++)
		cr_expect_not(task_births_read(births, (const uint8_t *)&record, bytes, &birth));
	cr_expect_not(task_births_read(births, (const uint8_t *)&other, sizeof(other), &birth));
}

Test(task_births, a_kernel_without_the_tracepoint_has_none)
{
	g_autofree char *other = g_strdelimit(g_strdup(format), "c", 'k');

	cr_expect_null(births_of(NULL));
	cr_expect_null(births_of(other));
}
