/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/point_set.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(point_columns);

/* Parts of Linux 6.18's format files. */

#define HEAD(id)                                                                                   \
	"name: x\nID: " #id "\nformat:\n"                                                          \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define NUMBER "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"

static const char openat_enter[] = HEAD(782) NUMBER
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";
static const char openat_exit[] =
	HEAD(781) NUMBER "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n";
static const char raw_enter[] = HEAD(443) //
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\nprint fmt: \"\"\n";
static const char newtask[] = HEAD(90) //
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	"\tfield:unsigned long clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:short oom_score_adj;\toffset:40;\tsize:2;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:44;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 saddr[4];\toffset:48;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";

enum { RECORD_BYTES = 64 };

/* A tracepoint with a record, of which a test sets bytes. */
typedef struct {
	PointEvent event;
	uint8_t raw[RECORD_BYTES];
} Point;

static Point point_new(const char *name, const char *format)
{
	Point point = { .event = { .probe = PROBE_TRACEPOINT, .name = (char *)name } };

	point.event.format = tracepoint_format_parse(format, strlen(format), NULL);
	cr_assert_not_null(point.event.format, "%s", name);
	return point;
}

static void point_clear(Point *point)
{
	tracepoint_format_free(point->event.format);
}

static PointColumn bind(const PointEvent *event, const char *name)
{
	g_autoptr(GError) error = NULL;
	PointColumn column;

	cr_assert(point_column_bind(&column, event, name, &error), "%s",
		  error ? error->message : name);
	return column;
}

static ExpressionValue read_value(const Point *point, const char *name)
{
	PointColumn column = bind(&point->event, name);
	PointSample sample = { .raw = point->raw, .raw_bytes = RECORD_BYTES };
	ExpressionValue value;

	cr_assert(point_column_read(&column, &sample, &value), "%s", name);
	return value;
}

static void expect_number(const Point *point, const char *name, int64_t expected)
{
	ExpressionValue value = read_value(point, name);

	cr_expect_eq(value.number, expected, "%s: %" G_GINT64_FORMAT, name, value.number);
	cr_expect_null(value.text);
}

static void expect_text(const Point *point, const char *name, const char *expected)
{
	ExpressionValue value = read_value(point, name);

	cr_assert_not_null(value.text, "%s", name);
	cr_expect_eq(value.text_bytes, strlen(expected), "%s", name);
	cr_expect_eq(memcmp(value.text, expected, strlen(expected)), 0, "%s", name);
}

static void expect_no_value(const PointEvent *event, const char *name, const char *expected)
{
	g_autoptr(GError) error = NULL;
	PointColumn column;

	cr_assert_not(point_column_bind(&column, event, name, &error), "%s", name);
	cr_expect_str_eq(error->message, expected, "%s", error->message);
}

static void put(Point *point, unsigned offset, const void *bytes, size_t length)
{
	memcpy(point->raw + offset, bytes, length);
}

Test(point_columns, numbers_and_texts_of_a_record_are_read)
{
	Point point = point_new("task:newtask", newtask);

	put(&point, 8, &(int32_t){ -5 }, 4);
	put(&point, 12, "worker", 7);
	put(&point, 32, &(uint64_t){ UINT64_MAX }, 8);
	put(&point, 40, &(int16_t){ -1000 }, 2);
	put(&point, 44, &(uint32_t){ 4U << 16 | 52 }, 4);
	put(&point, 52, "abc", 4);
	expect_number(&point, "pid", -5);
	expect_number(&point, "oom_score_adj", -1000);
	expect_number(&point, "clone_flags", -1);
	cr_expect(read_value(&point, "clone_flags").is_unsigned);
	cr_expect_not(read_value(&point, "pid").is_unsigned);
	expect_text(&point, "comm", "worker");
	expect_text(&point, "name", "abc");
	cr_expect(bind(&point.event, "pid").is_of_kernel &&
		  bind(&point.event, "comm").is_of_kernel);
	point_clear(&point);
}

Test(point_columns, a_text_that_fills_its_array_ends_with_it)
{
	Point point = point_new("task:newtask", newtask);

	memset(point.raw, 'x', RECORD_BYTES);
	expect_text(&point, "comm", "xxxxxxxxxxxxxxxx");
	point_clear(&point);
}

Test(point_columns, a_short_record_has_no_value)
{
	Point point = point_new("task:newtask", newtask);
	static const char *const names[] = { "pid", "comm", "name", "clone_flags" };

	put(&point, 44, &(uint32_t){ 4U << 16 | 52 }, 4);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		PointColumn column = bind(&point.event, names[i]);
		PointSample sample = { .raw = point.raw, .raw_bytes = 11 };
		ExpressionValue value;

		cr_expect_not(point_column_read(&column, &sample, &value), "%s", names[i]);
		cr_expect(!value.number && !value.text);
		sample = (PointSample){ 0 };
		cr_expect_not(point_column_read(&column, &sample, &value), "%s", names[i]);
	}
	point_clear(&point);
}

Test(point_columns, arguments_of_a_system_call_have_the_size_and_sign_of_their_types)
{
	Point point = point_new("syscalls:sys_enter_openat", openat_enter);
	/* AT_FDCWD in the lower half of the register, as compilers pass it. */
	const uint64_t arguments[] = { 0xffffff9c, 0x7ffd00000010, 0xdead00000241, 0xffff01a4 };

	put(&point, 16, arguments, sizeof(arguments));
	expect_number(&point, "dfd", -100);
	expect_number(&point, "filename", 0x7ffd00000010);
	expect_number(&point, "flags", 0x241);
	expect_number(&point, "mode", 0x1a4);
	expect_number(&point, "arg1", -100);
	expect_number(&point, "arg4", 0x1a4);
	/* The kernel compares all eight bytes. */
	cr_expect_not(bind(&point.event, "dfd").is_of_kernel);
	cr_expect(bind(&point.event, "filename").is_of_kernel);
	expect_no_value(&point.event, "arg5",
			"syscalls:sys_enter_openat: there is no value arg5; it has __syscall_nr, "
			"dfd, filename, flags, mode");
	point_clear(&point);
}

Test(point_columns, the_raw_entry_has_six_arguments)
{
	Point point = point_new("raw_syscalls:sys_enter", raw_enter);
	const uint64_t arguments[] = { 1, 2, 3, 4, 5, 6 };

	put(&point, 16, arguments, sizeof(arguments));
	expect_number(&point, "arg1", 1);
	expect_number(&point, "arg6", 6);
	expect_no_value(&point.event, "arg7",
			"raw_syscalls:sys_enter: there is no value arg7; nearest: arg1, arg2, "
			"arg3, arg4, arg5; it has id, arg1, arg2, arg3, arg4, arg5, arg6");
	point_clear(&point);
}

Test(point_columns, the_result_of_a_system_call_is_at_its_exit)
{
	Point point = point_new("syscalls:sys_exit_openat", openat_exit);

	put(&point, 16, &(int64_t){ -2 }, 8);
	expect_number(&point, "retval", -2);
	expect_number(&point, "ret", -2);
	point_clear(&point);
}

Test(point_columns, a_missing_field_gets_the_nearest_one_and_all)
{
	Point point = point_new("task:newtask", newtask);

	expect_no_value(&point.event, "oom_score",
			"task:newtask: there is no value oom_score; nearest: oom_score_adj; it has "
			"pid, comm, clone_flags, oom_score_adj, name");
	expect_no_value(&point.event, "saddr",
			"task:newtask: there is no value saddr; it has pid, comm, clone_flags, "
			"oom_score_adj, name");
	expect_no_value(&point.event, "retval",
			"task:newtask: there is no value retval; it has pid, comm, clone_flags, "
			"oom_score_adj, name");
	point_clear(&point);
}

/* Registers. */

static bool read_registers(const PointColumn *column, uint64_t abi, uint64_t mask,
			   const uint64_t *registers, ExpressionValue *value)
{
	const PointSample sample = { .registers_abi = abi,
				     .registers_mask = mask,
				     .registers = registers };

	return point_column_read(column, &sample, value);
}

#if defined(__x86_64__)

Test(point_columns, arguments_are_in_the_registers_of_the_calling_convention)
{
	PointEvent event = { .probe = PROBE_KPROBE,
			     .name = (char *)"k:f",
			     .needs_registers = true };
	/* ax, cx, dx, si, di, r8, r9: as lowest bits first. */
	const uint64_t registers[] = { 104, 103, 102, 101, 105, 106 };
	PointColumn columns[6];
	uint64_t mask;

	for (unsigned i = 0; i < 6; i++) {
		g_autofree char *name = g_strdup_printf("arg%u", i + 1);

		columns[i] = bind(&event, name);
	}
	mask = point_registers_mask(columns, 6);
	cr_expect_eq(mask, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 16 | 1 << 17);
	for (unsigned i = 0; i < 6; i++) {
		ExpressionValue value;

		cr_assert(read_registers(&columns[i], PERF_SAMPLE_REGS_ABI_32, mask, registers,
					 &value));
		cr_expect_eq(value.number, 101 + i, "%u: %" G_GINT64_FORMAT, i, value.number);
	}
	expect_no_value(
		&event, "arg7",
		"k:f: there is no value arg7; nearest: arg1, arg2, arg3, arg4, arg5; it has "
		"arg1, arg2, arg3, arg4, arg5, arg6");
}

Test(point_columns, a_program_of_32_bits_has_no_arguments_in_registers)
{
	PointEvent event = { .probe = PROBE_UPROBE,
			     .name = (char *)"u:f",
			     .needs_registers = true };
	PointColumn column = bind(&event, "arg1");
	uint64_t mask = point_registers_mask(&column, 1), value_of_register = 7;
	ExpressionValue value;

	cr_expect_not(
		read_registers(&column, PERF_SAMPLE_REGS_ABI_32, mask, &value_of_register, &value));
	cr_expect_not(read_registers(&column, PERF_SAMPLE_REGS_ABI_NONE, 0, NULL, &value));
	cr_expect_not(
		read_registers(&column, PERF_SAMPLE_REGS_ABI_64, 1, &value_of_register, &value));
	cr_assert(
		read_registers(&column, PERF_SAMPLE_REGS_ABI_64, mask, &value_of_register, &value));
	cr_expect_eq(value.number, 7);
}

Test(point_columns, a_return_has_only_its_result)
{
	PointEvent event = { .probe = PROBE_KRETPROBE,
			     .name = (char *)"kr:f",
			     .is_return = true,
			     .needs_registers = true };
	PointColumn column = bind(&event, "retval");

	cr_expect_eq(point_registers_mask(&column, 1), 1);
	cr_expect(column.is_signed);
	expect_no_value(&event, "arg1", "kr:f: there is no value arg1; it has retval");
}

Test(point_columns, types_of_a_kernel_function_give_names_sizes_and_signs)
{
	FunctionTypes types = { .parameters = { { (char *)"order", 4, true },
						{ (char *)"flags", 2, false } },
				.count = 2,
				.result = { (char *)"", 4, true } };
	PointEvent entry = { .probe = PROBE_KPROBE,
			     .name = (char *)"k:f",
			     .types = &types,
			     .needs_registers = true };
	PointEvent at_return = { .probe = PROBE_KRETPROBE,
				 .name = (char *)"kr:f",
				 .types = &types,
				 .is_return = true,
				 .needs_registers = true };
	const uint64_t registers[] = { 0xaaaaaaaaffffffea, 0xbbbbbbbbbbbb8001, 0xccccccccfffffffe };
	uint64_t mask = 1 << 0 | 1 << 4 | 1 << 5;
	const struct {
		const PointEvent *event;
		const char *name;
		int64_t expected;
	} values[] = { { &entry, "order", -2 },
		       { &entry, "arg1", -2 },
		       { &entry, "arg2", 0x8001 },
		       { &at_return, "retval", -22 } };

	for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
		PointColumn column = bind(values[i].event, values[i].name);
		ExpressionValue value;

		cr_assert(
			read_registers(&column, PERF_SAMPLE_REGS_ABI_64, mask, registers, &value));
		cr_expect_eq(value.number, values[i].expected, "%s", values[i].name);
	}
	expect_no_value(
		&entry, "arg3",
		"k:f: there is no value arg3; nearest: arg1, arg2; it has arg1, arg2, order, "
		"flags");
	types.result.bytes = 0;
	expect_no_value(&at_return, "retval", "kr:f: there is no value retval; it has none");
}

Test(point_columns, operands_of_a_usdt_site_have_their_size_sign_and_place)
{
	PointEvent event = { .probe = PROBE_USDT,
			     .name = (char *)"usdt:f:p:n",
			     .arguments =
				     (char *)"8@%rdi -4@%esi -2@$-3 4@-20(%rbp) 1@%r9 -8@$0x10",
			     .needs_registers = true };
	const uint64_t registers[] = { 0xffffffff00000005, 42, 0x1ff };
	static const struct {
		const char *name;
		int64_t expected;
	} operands[] = {
		{ "arg1", 42 }, { "arg2", 5 }, { "arg3", -3 }, { "arg5", 0xff }, { "arg6", 16 }
	};
	uint64_t mask = 1 << 4 | 1 << 5 | 1 << 17;

	for (guint i = 0; i < G_N_ELEMENTS(operands); i++) {
		PointColumn column = bind(&event, operands[i].name);
		ExpressionValue value;

		cr_assert(
			read_registers(&column, PERF_SAMPLE_REGS_ABI_64, mask, registers, &value));
		cr_expect_eq(value.number, operands[i].expected, "%s: %" G_GINT64_FORMAT,
			     operands[i].name, value.number);
	}
	expect_no_value(&event, "arg4",
			"usdt:f:p:n: perf cannot read the argument arg4; nearest: arg1, arg2, "
			"arg3, arg5, arg6; it has arg1, arg2, arg3, arg5, arg6");
}

#endif

Test(point_columns, only_a_fault_has_an_address)
{
	PointEvent fault = { .probe = PROBE_SOFTWARE,
			     .name = (char *)"sw:page-faults",
			     .has_address = true };
	PointEvent other = { .probe = PROBE_SOFTWARE, .name = (char *)"sw:cpu-migrations" };
	PointColumn column = bind(&fault, "address");
	const PointSample sample = { .address = 0x7f0000001000 };
	ExpressionValue value;

	cr_assert(point_column_read(&column, &sample, &value));
	cr_expect_eq(value.number, 0x7f0000001000);
	expect_no_value(&other, "address",
			"sw:cpu-migrations: there is no value address; it has none");
}
