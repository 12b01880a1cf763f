/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/tracefs/tracepoint_format.h"

#include "leaks.h"
#include "perf_fixtures.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#ifdef HAVE_LIBTRACEEVENT
#include <event-parse.h>
#endif

TEST_SUITE_WITHOUT_LEAKS(tracepoint_format);

#define HEAD "name: x\nID: 7\nformat:\n"
#define FIELD(declaration, offset, size, is_signed)                                                \
	"\tfield:" declaration ";\toffset:" offset ";\tsize:" size ";\tsigned:" is_signed ";\n"

static TracepointFormat *parse(const char *text)
{
	GError *error = NULL;
	TracepointFormat *format = tracepoint_format_parse(text, strlen(text), &error);

	cr_assert_null(error, "%s: %s", text, error ? error->message : "");
	return format;
}

Test(tracepoint_format, declarations_are_split_into_type_and_name)
{
	g_autoptr(TracepointFormat) format = parse(
		HEAD FIELD("unsigned short common_type", "0", "2", "0") "\n" /* as there */
		FIELD("const void * ptr", "8", "8", "0") FIELD("char comm[16]", "16", "16", "1")
			FIELD("__data_loc char[] name", "32", "4", "1")
				FIELD("__rel_loc char[] near", "48", "4", "0")
					FIELD("u8 pair[2]", "36", "2", "0") FIELD("int node", "40",
										  "4", "1")
						FIELD("__u8 tail[]", "44", "0",
						      "0") "\n"
							   "print fmt: \"\"\n\tfield:later;\n");
	static const TracepointField expected[] = {
		{ "common_type", "unsigned short", 0, 2, false, false, true, false, false },
		{ "ptr", "const void *", 8, 8, false, false, true, false, false },
		{ "comm", "char", 16, 16, true, false, false, false, false },
		{ "name", "__data_loc char[]", 32, 4, true, true, false, true, false },
		{ "near", "__rel_loc char[]", 48, 4, false, true, false, true, true },
		{ "pair", "u8", 36, 2, false, false, false, false, false },
		{ "node", "int", 40, 4, true, false, true, false, false },
		{ "tail", "__u8", 44, 0, false, false, false, false, false },
	};

	cr_expect(eq(u16, format->id, 7));
	cr_assert(eq(u32, format->field_count, G_N_ELEMENTS(expected)));
	for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
		const TracepointField *field = tracepoint_format_lookup(format, expected[i].name);

		cr_assert_not_null(field);
		cr_expect_str_eq(field->type, expected[i].type);
		cr_expect(field->offset == expected[i].offset && field->size == expected[i].size &&
				  field->is_signed == expected[i].is_signed &&
				  field->is_dynamic == expected[i].is_dynamic &&
				  field->is_number == expected[i].is_number &&
				  field->is_text == expected[i].is_text &&
				  field->is_relative == expected[i].is_relative,
			  "%s", field->name);
	}
	cr_expect_null(tracepoint_format_lookup(format, "later"));
}

#define GOOD FIELD("int node", "8", "4", "1")
#define NAME_OF_64 "n234567890123456789012345678901234567890123456789012345678901234"

static const char *const senseless[] = {
	"",
	"ELF",
	HEAD,
	"name: x\nformat:\n" GOOD,
	"ID: 0\n" GOOD,
	"ID: 65536\n" GOOD,
	"ID: 99999999999999999999999\n" GOOD,
	"ID: -1\n" GOOD,
	"ID: 1\nID: 2\n" GOOD,
	"print fmt: \"\"\n" HEAD GOOD,
	HEAD GOOD GOOD,
	HEAD GOOD FIELD("int node", "12", "4", "1"),
	HEAD GOOD FIELD("int overlaps", "11", "4", "1"),
	HEAD GOOD FIELD("int covers", "0", "64", "1"),
	HEAD FIELD("int x", "8192", "1", "0"),
	HEAD FIELD("int x", "8188", "8", "0"),
	HEAD FIELD("int x", "4294967295", "4", "0"),
	HEAD FIELD("int x", "0", "65536", "0"),
	HEAD FIELD("int x", "-4", "4", "0"),
	HEAD FIELD("int x", "0x8", "4", "0"),
	HEAD FIELD("int x", "", "4", "0"),
	HEAD FIELD("int x", "8", "4", "2"),
	HEAD FIELD("", "8", "4", "0"),
	HEAD FIELD("x", "8", "4", "0"),
	HEAD FIELD("int [4]", "8", "4", "0"),
	HEAD FIELD("]", "8", "4", "0"),
	HEAD FIELD("int x\033[31m", "8", "4", "0"),
	HEAD FIELD("i\033nt x", "8", "4", "0"),
	HEAD FIELD("int " NAME_OF_64, "8", "4", "0"),
	HEAD FIELD(NAME_OF_64 " " NAME_OF_64 " " NAME_OF_64 " x", "8", "4", "0"),
	HEAD "\tfield:int x;\n",
	HEAD "\tfield:int x;\toffset:8;\tsize:4;\n",
	HEAD "\tfield:int x;\tsize:4;\toffset:8;\tsigned:0;\n",
	HEAD "\tfield:int x;\toffset:8;\tsize:4;\tsigned:",
};

static void expect_refused(const char *text, size_t length)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *exact = perf_fixture_exact(text, length);

	cr_expect_null(tracepoint_format_parse(exact, length, &error), "%s", text);
	cr_assert_not_null(error, "%s", text);
	cr_expect_null(strpbrk(error->message, "\n\033"));
}

Test(tracepoint_format, what_makes_no_sense_is_refused)
{
	for (guint i = 0; i < G_N_ELEMENTS(senseless); i++)
		expect_refused(senseless[i], strlen(senseless[i]));
}

Test(tracepoint_format, a_text_without_bounds_is_refused)
{
	g_autoptr(GString) many = g_string_new(HEAD);
	g_autofree char *blank = g_strnfill(TRACEPOINT_FORMAT_BYTES_MAX, '\n');
	g_autofree char *longer = g_strconcat(HEAD GOOD, blank, NULL);

	for (int i = 0; i <= TRACEPOINT_FIELDS_MAX; i++)
		g_string_append_printf(many, "\tfield:int f%d;\toffset:%d;\tsize:4;\tsigned:1;\n",
				       i, i * 4);
	expect_refused(many->str, many->len);
	expect_refused(longer, strlen(longer));
}

static void expect_same_field(const TracepointField *field, const TracepointField *expected)
{
	cr_expect_str_eq(field->name, expected->name);
	cr_expect_str_eq(field->type, expected->type);
	cr_expect(eq(u16, field->offset, expected->offset), "%s", expected->name);
	cr_expect(eq(u16, field->size, expected->size), "%s", expected->name);
	cr_expect(field->is_signed == expected->is_signed, "%s", expected->name);
}

/* Reads the first bytes of a text, with others behind them. Returns how many fields there are; 0:
   it is refused. */
static guint fields_of_cut(const char *text, size_t length, const TracepointFormat *whole,
			   char behind)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *cut = g_strnfill(length + 64, behind);
	g_autoptr(TracepointFormat) format = NULL;

	memcpy(cut, text, length);
	format = tracepoint_format_parse(cut, length, &error);
	cr_expect_eq(format == NULL, error != NULL, "%zu bytes", length);
	if (!format)
		return 0;
	cr_assert(le(u32, format->field_count, whole->field_count));
	for (guint i = 0; i < format->field_count; i++)
		expect_same_field(&format->fields[i], &whole->fields[i]);
	return format->field_count;
}

/* Whatever lies behind the text; under ASan nothing does. */
Test(tracepoint_format, a_text_cut_anywhere_is_read_within_its_length)
{
	g_autofree char *text = perf_fixture_format("7.2", "kmem_cache_alloc");
	g_autoptr(TracepointFormat) whole = parse(text);
	guint most = 0, refused = 0;

	for (size_t length = 0; length < strlen(text); length++) {
		g_autofree char *exact = perf_fixture_exact(text, length);
		guint fields = fields_of_cut(text, length, whole, '9');

		cr_expect(eq(u32, fields_of_cut(text, length, whole, ';'), fields));
		tracepoint_format_free(tracepoint_format_parse(exact, length, NULL));
		/* In the middle of a line the text is refused, else it has those above. */
		cr_expect(fields == 0 || fields >= most, "%zu bytes", length);
		most = MAX(most, fields);
		refused += !fields;
	}
	cr_expect(eq(u32, most, whole->field_count));
	cr_expect(lt(u32, 100, refused));
}

static const struct {
	uint16_t size;
	bool is_signed;
	uint64_t expected;
} numbers[] = {
	{ 1, false, 0xfe },         { 1, true, (uint64_t)-2 }, { 2, false, 0xfffe },
	{ 2, true, (uint64_t)-2 },  { 4, false, 0xfffffffe },  { 4, true, (uint64_t)-2 },
	{ 8, false, (uint64_t)-2 }, { 8, true, (uint64_t)-2 },
};

Test(tracepoint_format, numbers_keep_their_sign_at_any_address)
{
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
		const TracepointField field = { .offset = 3,
						.size = numbers[i].size,
						.is_signed = numbers[i].is_signed,
						.is_number = true };
		const int64_t minus_two = -2;
		uint8_t raw[11] = { 0 };
		uint64_t value = 0;

		/* The low bytes of a big-endian number come last. */
		memcpy(raw + 3,
		       (const uint8_t *)&minus_two +
			       (G_BYTE_ORDER == G_BIG_ENDIAN ? 8 - numbers[i].size : 0),
		       numbers[i].size);
		cr_assert(tracepoint_field_number(&field, raw, sizeof(raw), &value));
		cr_expect(eq(u64, value, numbers[i].expected));
	}
}

Test(tracepoint_format, a_number_outside_of_the_record_is_not_read)
{
	const TracepointField field = { .offset = 8, .size = 4, .is_number = true };
	const TracepointField last = { .offset = 65535, .size = 8, .is_number = true };
	const TracepointField place = { .offset = 0, .size = 4, .is_dynamic = true };
	const uint8_t raw[12] = { 0 };
	uint64_t value;

	cr_expect(tracepoint_field_number(&field, raw, 12, &value));
	cr_expect_not(tracepoint_field_number(&field, raw, 11, &value));
	cr_expect_not(tracepoint_field_number(&field, raw, 0, &value));
	cr_expect_not(tracepoint_field_number(&last, raw, 12, &value));
	cr_expect_not(tracepoint_field_number(&place, raw, 12, &value));
}

#ifdef HAVE_LIBTRACEEVENT
static void expect_same_fields(const TracepointFormat *format, struct tep_format_field *theirs,
			       unsigned *count)
{
	for (; theirs; theirs = theirs->next, ++*count) {
		const TracepointField *ours = tracepoint_format_lookup(format, theirs->name);

		cr_assert_not_null(ours, "%s", theirs->name);
		cr_expect(eq(i32, ours->offset, theirs->offset), "%s", ours->name);
		cr_expect(eq(i32, ours->size, theirs->size), "%s", ours->name);
		cr_expect(ours->is_signed == !!(theirs->flags & TEP_FIELD_IS_SIGNED), "%s",
			  ours->name);
		cr_expect(ours->is_dynamic == !!(theirs->flags & TEP_FIELD_IS_DYNAMIC), "%s",
			  ours->name);
	}
}

static void compare_with_libtraceevent(const char *kernel, const char *point)
{
	g_autofree char *text = perf_fixture_format(kernel, point);
	g_autofree char *whole = text ? g_strconcat(g_strchomp(text), " \"\"\n", NULL) : NULL;
	g_autoptr(TracepointFormat) format = whole ? parse(whole) : NULL;
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	unsigned count = 0;

	if (format) {
		tep_set_long_size(tep, 8);
		cr_assert(eq(int, tep_parse_event(tep, whole, strlen(whole), "kmem"), 0));
		event = tep_find_event(tep, format->id);
		cr_assert_not_null(event);
		expect_same_fields(format, event->format.common_fields, &count);
		expect_same_fields(format, event->format.fields, &count);
		cr_expect(eq(u32, format->field_count, count));
	}
	tep_free(tep);
}
#endif

Test(tracepoint_format, libtraceevent_reads_every_fixture_alike)
{
#ifdef HAVE_LIBTRACEEVENT
	for (guint i = 0; i < G_N_ELEMENTS(perf_fixture_kernels); i++)
		for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
			for (const ProbePoint *point = kind->points; point->name; point++)
				compare_with_libtraceevent(perf_fixture_kernels[i], point->name);
#else
	cr_skip("built without libtraceevent (libtraceevent-dev)");
#endif
}
