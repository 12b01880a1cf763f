/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "render/data/json_writer.h"

#include "leaks.h"
#include "record/batch_writer.h"
#include "render/formats/renderers.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(json);

Test(json, texts_have_nothing_that_ends_or_changes_them)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "plain", "\"plain\"" },
		{ "say \"no\"", "\"say \\\"no\\\"\"" },
		{ "a\\b", "\"a\\\\b\"" },
		{ "\033[31mred\n", "\"\\\\x1b[31mred\\\\x0a\"" },
		{ "caf\xc3\xa9", "\"caf\xc3\xa9\"" },
		{ "\xc2\x9b", "\"\\\\xc2\\\\x9b\"" },
		{ "\xff\xc3", "\"\\\\xff\\\\xc3\"" },
		{ "", "\"\"" },
		{ NULL, "null" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) out = g_string_new(NULL);
		JsonWriter json = { .out = out };

		json_text(&json, NULL, cases[i].text);
		cr_expect_str_eq(out->str, cases[i].json);
	}
}

Test(json, values_have_their_type)
{
	char *list[] = { "a", "b\"", NULL };
	const struct {
		ValueType type;
		Value value;
		const char *json;
	} cases[] = {
		{ VALUE_COUNT, { .known = true, .number = UINT64_MAX }, "18446744073709551615" },
		{ VALUE_COUNT, { .known = false, .number = 3 }, "null" },
		{ VALUE_FLAG, { .known = true, .number = 1 }, "true" },
		{ VALUE_RANGE,
		  { .known = true, .number = 12, .other = 15 },
		  "{\"low\":12,\"high\":15}" },
		{ VALUE_SHARE, { .known = true, .number = 1, .other = 8 }, "12.5" },
		{ VALUE_SHARE, { .known = true }, "0" },
		{ VALUE_PERCENT, { .known = true, .percent = 3.25 }, "3.25" },
		{ VALUE_PERCENT, { .known = true, .percent = NAN }, "null" },
		{ VALUE_TIME_SPAN, { .known = true, .number = 1500000001 }, "1.500000001" },
		{ VALUE_TIME,
		  { .known = true, .number = 1795232359000000007 },
		  "\"2026-11-21T03:39:19.000000007Z\"" },
		{ VALUE_TIME,
		  { .known = true, .number = UINT64_MAX },
		  "\"2554-07-21T23:34:33.709551615Z\"" },
		{ VALUE_LIST, { .known = true, .list = list }, "[\"a\",\"b\\\"\"]" },
		{ VALUE_LIST, { .known = true }, "[]" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) out = g_string_new(NULL);
		JsonWriter json = { .out = out };

		json_value(&json, NULL, cases[i].type, &cases[i].value);
		cr_expect_str_eq(out->str, cases[i].json);
	}
}

Test(json, members_and_elements_are_separated)
{
	g_autoptr(GString) out = g_string_new(NULL);
	JsonWriter json = { .out = out };

	json_open(&json, NULL, '{');
	json_open(&json, "empty", '[');
	json_close(&json, ']');
	json_count(&json, "one", 1);
	json_open(&json, "more", '[');
	json_signed(&json, NULL, -2);
	json_decimals(&json, NULL, 0.126, 2);
	json_open(&json, NULL, '{');
	json_close(&json, '}');
	json_close(&json, ']');
	json_null(&json, "last");
	json_close(&json, '}');
	cr_expect_str_eq(out->str, "{\"empty\":[],\"one\":1,\"more\":[-2,0.13,{}],\"last\":null}");
}

Test(json, every_fact_has_an_id_of_its_own)
{
	g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);

	for (FactId id = 0; id < FACTS; id++) {
		cr_assert_not_null(fact_kinds[id].id, "fact %d", id);
		cr_expect(g_hash_table_add(ids, (char *)fact_kinds[id].id), "%s",
			  fact_kinds[id].id);
	}
}

static void add_reading(Session *session, enum KmtReading reading, uint64_t ns, const char *text)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	batch_write_reading(bytes, KMT_BATCH_SLABINFO, reading, ns, text, strlen(text));
	made_session_feed(session, bytes);
}

#define SLABINFO(objects)                                                                          \
	"slabinfo - version: 2.1\n# name ...\n"                                                    \
	"kmalloc-192 " objects " 2100 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n"            \
	"dentry 10 21 192 21 1 : tunables 0 0 0 : slabdata 1 1 0\n"

Test(json, caches_that_grow_are_rows)
{
	enum { BYTES_MAX = 64 << 20 };
	g_autoptr(Session) session = session_new(BYTES_MAX);
	const ViewOptions options = { .top = UINT64_MAX };
	const ReportSource source = { .command = "slabstack",
				      .session = session,
				      .options = &options };
	const char *caches;
	char *text;

	add_reading(session, KMT_READING_START, 1000000000, SLABINFO("1000"));
	add_reading(session, KMT_READING_END, 3000000000, SLABINFO("2000"));
	session_finish(session);
	text = made_report(REPORT_SLAB_CACHES, &source, renderer_lookup("json"));
	caches = strstr(text, "\"duration_seconds\":2.000000000,\"memory_start\":");
	cr_assert_not_null(caches, "%s", text);
	caches = strstr(caches, "\"caches\":");
	cr_assert_not_null(caches, "%s", text);
	cr_expect_str_eq(caches,
			 "\"caches\":[{\"cache\":\"kmalloc-192\",\"reclaimable\":false,"
			 "\"objects_in_use\":2000,\"slab_bytes\":409600,"
			 "\"change_bytes_per_second\":96000,"
			 "\"use_percent\":95.2380952,\"object_bytes\":192,\"other_names\":[],"
			 "\"change_bytes\":192000},{"
			 "\"cache\":\"dentry\","
			 "\"reclaimable\":true,\"objects_in_use\":10,\"slab_bytes\":4096,"
			 "\"change_bytes_per_second\":0,"
			 "\"use_percent\":47.6190476,\"object_bytes\":192,\"other_names\":[],"
			 "\"change_bytes\":0}],"
			 "\"caches_left_out\":0,\"cgroups_visible\":null,"
			 "\"cgroups_dying_start\":null,\"cgroups_dying\":null,"
			 "\"cgroups_dying_below\":null,\"cgroups_not_read\":0,\"cgroups\":[],"
			 "\"cgroups_left_out\":0}\n");
	free(text);
}
