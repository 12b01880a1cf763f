/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binds a name of a formula to where its value is: a field of the record, an array of characters, a
 * register, a USDT operand. Binding is done once and may fail with the names that there are;
 * reading is a switch over the kind, for each hit.
 */
#include "collect/points/point_set.h"

#include "base/escape.h"
#include "base/nearest.h"
#include "collect/points/point_registers.h"
#include "collect/points/usdt_notes.h"

#include <gio/gio.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

/*
 * A const table of the types of system calls' arguments: how many bytes of a register are the
 * value.
 */

/* A type of an argument of a system call. */
typedef struct {
	const char *name;
	unsigned bytes;
	bool is_signed;
} SyscallType;

static const SyscallType syscall_types[] = {
	{ "__s32", 4, true },         { "__u32", 4, false },
	{ "clockid_t", 4, true },     { "gid_t", 4, false },
	{ "int", 4, true },           { "key_serial_t", 4, true },
	{ "key_t", 4, true },         { "loff_t", 8, true },
	{ "long", 8, true },          { "mqd_t", 4, true },
	{ "off_t", 8, true },         { "old_gid_t", 2, false },
	{ "old_uid_t", 2, false },    { "pid_t", 4, true },
	{ "qid_t", 4, false },        { "rwf_t", 4, true },
	{ "s32", 4, true },           { "ssize_t", 8, true },
	{ "timer_t", 4, true },       { "u32", 4, false },
	{ "uid_t", 4, false },        { "umode_t", 2, false },
	{ "unsigned", 4, false },     { "unsigned char", 1, false },
	{ "unsigned int", 4, false }, { "unsigned short", 2, false },
};

/*
 * Returns the size and the sign of a type, as the format file of sys_enter_NAME prints it. There
 * every argument is a register of 8 bytes without a sign (trace_define_field() in
 * kernel/trace/trace_syscalls.c), and the upper bytes of a shorter type are undefined. Types that
 * fill the register without a sign, like pointers, are not known: NULL.
 */
static const SyscallType *syscall_type_lookup(const char *name)
{
	if (g_str_has_prefix(name, "const "))
		name += strlen("const ");
	for (guint i = 0; i < G_N_ELEMENTS(syscall_types); i++)
		if (g_str_equal(syscall_types[i].name, name))
			return &syscall_types[i];
	return NULL;
}

enum { ARGUMENTS_MAX = 99, REGISTER_BYTES = 8 };

#define ADDRESS "address"
#define RESULT "retval"
#define COMMON_PREFIX "common_"

/* Returns N of "argN"; 0: another name. */
static unsigned argument_number(const char *name)
{
	guint64 number;

	if (!g_str_has_prefix(name, "arg") ||
	    !g_ascii_string_to_unsigned(name + strlen("arg"), 10, 1, ARGUMENTS_MAX, &number, NULL))
		return 0;
	return (unsigned)number;
}

/* Fields. */

/* An argument of sys_enter_NAME: a register, of which the type's part is the value. */
static void narrow_argument(PointColumn *column)
{
	const SyscallType *type = syscall_type_lookup(column->field.type);

	if (!type || (type->bytes == column->field.size && !type->is_signed))
		return;
	if (G_BYTE_ORDER == G_BIG_ENDIAN)
		column->field.offset += (uint16_t)(column->field.size - type->bytes);
	column->field.size = (uint16_t)type->bytes;
	column->field.is_signed = type->is_signed;
	column->is_of_kernel = false;
}

/* Before the arguments is the number of the system call, which is an int. */
static bool is_syscall_argument(const PointEvent *event, const TracepointField *field)
{
	return g_str_has_prefix(event->name, "syscalls:sys_enter_") && field->is_number &&
	       field->size == REGISTER_BYTES;
}

static bool bind_field(PointColumn *column, const PointEvent *event, const TracepointField *field)
{
	bool is_chars =
		!field->is_number && !field->is_dynamic && field->size &&
		(g_str_equal(field->type, "char") || g_str_equal(field->type, "const char"));

	if (!field->is_number && !field->is_text && !is_chars)
		return false;
	column->kind = field->is_number ? POINT_COLUMN_NUMBER
		       : field->is_text ? POINT_COLUMN_TEXT
					: POINT_COLUMN_CHARS;
	column->field = *field;
	column->is_of_kernel = true;
	if (is_syscall_argument(event, field))
		narrow_argument(column);
	return true;
}

/* Binds an element of raw_syscalls:sys_enter's `unsigned long args[6]`. */
static bool bind_raw_argument(PointColumn *column, const PointEvent *event, unsigned number)
{
	const TracepointField *array = tracepoint_format_lookup(event->format, "args");
	uint32_t at = (number - 1) * REGISTER_BYTES;

	if (!array || array->is_number || array->is_dynamic || at + REGISTER_BYTES > array->size)
		return false;
	column->kind = POINT_COLUMN_NUMBER;
	column->field = *array;
	column->field.offset += (uint16_t)at;
	column->field.size = REGISTER_BYTES;
	column->field.is_number = true;
	return true;
}

/* The result of sys_exit_NAME and raw_syscalls:sys_exit is their field `ret`. */
static bool bind_record_result(PointColumn *column, const PointEvent *event)
{
	const TracepointField *field = tracepoint_format_lookup(event->format, "ret");
	bool is_exit = g_str_has_prefix(event->name, "syscalls:sys_exit_") ||
		       g_str_equal(event->name, "raw_syscalls:sys_exit");

	if (!field || !is_exit || !bind_field(column, event, field))
		return false;
	column->is_of_kernel = false;
	return true;
}

static bool bind_record(PointColumn *column, const PointEvent *event, const char *name)
{
	const TracepointFormat *format = event->format;
	const TracepointField *field = tracepoint_format_lookup(format, name);
	unsigned number = argument_number(name), left = number;

	if (field)
		return bind_field(column, event, field);
	if (!number)
		return g_str_equal(name, RESULT) && bind_record_result(column, event);
	for (unsigned i = 0; i < format->field_count; i++) {
		if (!is_syscall_argument(event, &format->fields[i]) || --left)
			continue;
		bind_field(column, event, &format->fields[i]);
		column->is_of_kernel = false; /* by this name */
		return true;
	}
	/* The entry has fewer, or the event is another one. */
	return bind_raw_argument(column, event, number);
}

/* Registers. */

static bool bind_operand(PointColumn *column, const PointEvent *event, unsigned number)
{
	UsdtOperand operand;

	if (!usdt_operand_parse(event->arguments, number, &operand) ||
	    operand.kind == USDT_OPERAND_MEMORY)
		return false;
	column->kind = operand.kind == USDT_OPERAND_CONSTANT ? POINT_COLUMN_CONSTANT
							     : POINT_COLUMN_REGISTER;
	column->constant = operand.constant;
	column->register_number = operand.register_number;
	column->bytes = operand.bytes;
	column->is_signed = operand.is_signed;
	return true;
}

/* Returns the number of an argument by "argN" or the parameter's name; 0: neither. */
static unsigned parameter_number(const PointEvent *event, const char *name)
{
	unsigned number = argument_number(name);

	if (!event->types)
		return number;
	for (unsigned i = 0; i < event->types->count && !number; i++)
		if (g_str_equal(event->types->parameters[i].name, name))
			number = i + 1;
	return number <= event->types->count ? number : 0;
}

/* At a function's entry there are arguments, at its return a result, at other places neither. */
static bool bind_register(PointColumn *column, const PointEvent *event, const char *name)
{
	unsigned number = argument_number(name);
	const FunctionTypes *types = event->types;
	const FunctionValue *value = NULL;

	column->is_of_program = event->probe != PROBE_KPROBE && event->probe != PROBE_KRETPROBE;
	if (event->arguments && number)
		return bind_operand(column, event, number);
	column->kind = POINT_COLUMN_REGISTER;
	if (!event->is_return && !event->arguments) {
		number = parameter_number(event, name);
		column->register_number = point_register_of_argument(number);
		value = types && number ? &types->parameters[number - 1] : NULL;
	} else if (event->is_return && g_str_equal(name, RESULT) &&
		   (!types || types->result.bytes)) {
		column->register_number = point_register_of_result();
		value = types ? &types->result : NULL;
	}
	column->bytes = value ? value->bytes : REGISTER_BYTES;
	column->is_signed = value ? value->is_signed : event->is_return;
	return column->register_number != POINT_REGISTER_NONE;
}

/* Errors. */

/* Adds "argFIRST" to "argLAST" (names, owned). */
static void list_arguments(GPtrArray *names, unsigned count)
{
	for (unsigned i = 1; i <= count; i++)
		g_ptr_array_add(names, g_strdup_printf("arg%u", i));
}

static void list_fields(GPtrArray *names, const PointEvent *event)
{
	PointColumn column = { 0 };

	for (unsigned i = 0; i < event->format->field_count; i++) {
		const TracepointField *field = &event->format->fields[i];

		if (!g_str_has_prefix(field->name, COMMON_PREFIX) &&
		    bind_field(&column, event, field))
			g_ptr_array_add(names, g_strdup(field->name));
	}
	if (tracepoint_format_lookup(event->format, "args") && bind_raw_argument(&column, event, 1))
		list_arguments(names, 6);
	if (bind_record_result(&column, event))
		g_ptr_array_add(names, g_strdup(RESULT));
}

/* Lists the arguments that are in registers, then their names. types may be NULL. */
static void list_registers(GPtrArray *names, const FunctionTypes *types)
{
	unsigned count = point_registers_of_arguments();

	if (types)
		count = MIN(count, types->count);
	list_arguments(names, count);
	for (unsigned i = 0; types && i < count; i++)
		if (*types->parameters[i].name)
			g_ptr_array_add(names, g_strdup(types->parameters[i].name));
}

/* Returns what the event has (element-type char *, owned). */
static GPtrArray *names_of(const PointEvent *event)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	const FunctionTypes *types = event->types;
	PointColumn column;

	if (event->format) {
		list_fields(names, event);
	} else if (event->arguments) {
		unsigned count = usdt_operands_count(event->arguments);

		for (unsigned i = 1; i <= MIN(count, (unsigned)ARGUMENTS_MAX); i++)
			if (bind_operand(&column, event, i))
				g_ptr_array_add(names, g_strdup_printf("arg%u", i));
	} else if (event->is_return && (!types || types->result.bytes)) {
		g_ptr_array_add(names, g_strdup(RESULT));
	} else if (!event->is_return && event->needs_registers) {
		list_registers(names, types);
	}
	if (event->has_address)
		g_ptr_array_add(names, g_strdup(ADDRESS));
	return names;
}

static bool point_columns_fail(const PointEvent *event, const char *name, GError **error)
{
	g_autoptr(GPtrArray) names = names_of(event);
	g_autoptr(Nearest) nearest = nearest_new(name);
	g_autoptr(GString) text = g_string_new(NULL), found = g_string_new(NULL);
	UsdtOperand operand;
	unsigned number = event->arguments ? argument_number(name) : 0;

	escape_append(text, event->name);
	g_string_append(text, number && usdt_operand_parse(event->arguments, number, &operand)
				      ? ": perf cannot read the argument "
				      : ": there is no value ");
	escape_append(text, name);
	for (guint i = 0; i < names->len; i++)
		nearest_offer(nearest, names->pdata[i], names->pdata[i]);
	if (nearest_append(nearest, found))
		g_string_append_printf(text, "; nearest: %s", found->str);
	g_string_append(text, names->len ? "; it has " : "; it has none");
	for (guint i = 0; i < names->len; i++) {
		g_string_append(text, i ? ", " : "");
		escape_append(text, names->pdata[i]);
	}
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, text->str);
	return false;
}

bool point_column_bind(PointColumn *column, const PointEvent *event, const char *name,
		       GError **error)
{
	bool is_bound = false;

	*column = (PointColumn){ .register_number = POINT_REGISTER_NONE };
	if (event->has_address && g_str_equal(name, ADDRESS)) {
		column->kind = POINT_COLUMN_ADDRESS;
		return true;
	}
	if (event->format)
		is_bound = bind_record(column, event, name);
	else if (event->needs_registers)
		is_bound = bind_register(column, event, name);
	return is_bound || point_columns_fail(event, name, error);
}

/* Reading. */

bool point_column_is_text(const PointColumn *column)
{
	return column->kind == POINT_COLUMN_TEXT || column->kind == POINT_COLUMN_CHARS;
}

uint64_t point_registers_mask(const PointColumn *columns, unsigned count)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < count; i++)
		if (columns[i].kind == POINT_COLUMN_REGISTER)
			mask |= 1ULL << columns[i].register_number;
	return mask;
}

static bool read_number(const TracepointField *field, const PointSample *sample,
			ExpressionValue *value)
{
	uint64_t number;

	if (!tracepoint_field_number(field, sample->raw, sample->raw_bytes, &number))
		return false;
	value->number = (int64_t)number;
	value->is_unsigned = !field->is_signed;
	return true;
}

/* Returns the low bytes of a register, with their sign. */
static int64_t low_part(uint64_t value, unsigned bytes, bool is_signed)
{
	unsigned unused_bits = (REGISTER_BYTES - bytes) * 8;

	value <<= unused_bits;
	return is_signed ? (int64_t)value >> unused_bits : (int64_t)(value >> unused_bits);
}

/* The kernel gives its own registers the ABI of the process that it interrupted. */
static bool read_register(const PointColumn *column, const PointSample *sample,
			  ExpressionValue *value)
{
	uint64_t bit = 1ULL << column->register_number;
	uint64_t abi = sample->registers_abi;
	unsigned index = (unsigned)__builtin_popcountll(sample->registers_mask & (bit - 1));

	if (abi == PERF_SAMPLE_REGS_ABI_NONE || !(sample->registers_mask & bit) ||
	    (column->is_of_program && abi != PERF_SAMPLE_REGS_ABI_64))
		return false;
	value->number = low_part(sample->registers[index], column->bytes, column->is_signed);
	value->is_unsigned = !column->is_signed;
	return true;
}

static bool read_chars(const TracepointField *field, const PointSample *sample,
		       ExpressionValue *value)
{
	if ((uint32_t)field->offset + field->size > sample->raw_bytes)
		return false;
	value->text = (const char *)sample->raw + field->offset;
	value->text_bytes = (uint32_t)strnlen(value->text, field->size);
	return true;
}

bool point_column_read(const PointColumn *column, const PointSample *sample, ExpressionValue *value)
{
	const TracepointField *field = &column->field;

	*value = (ExpressionValue){ 0 };
	switch (column->kind) {
	case POINT_COLUMN_NUMBER:
		return read_number(field, sample, value);
	case POINT_COLUMN_TEXT:
		value->text = tracepoint_field_text(field, sample->raw, sample->raw_bytes,
						    &value->text_bytes);
		return value->text != NULL;
	case POINT_COLUMN_CHARS:
		return read_chars(field, sample, value);
	case POINT_COLUMN_REGISTER:
		return read_register(column, sample, value);
	case POINT_COLUMN_CONSTANT:
		value->number =
			low_part((uint64_t)column->constant, column->bytes, column->is_signed);
		value->is_unsigned = !column->is_signed;
		return true;
	case POINT_COLUMN_ADDRESS:
		value->number = (int64_t)sample->address;
		value->is_unsigned = true;
		return true;
	}
	return false;
}
