/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/user/user_maps.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(user_maps);

enum { PLENTY = 1 << 24 };

typedef struct {
	UserObjects *objects;
	UserMaps *maps;
} Tables;

static Tables new_tables(size_t bytes_max)
{
	Tables tables = { .objects = user_objects_new(PLENTY) };

	tables.maps = user_maps_new(tables.objects, bytes_max);
	return tables;
}

static void free_tables(const Tables *tables)
{
	user_maps_free(tables->maps);
	user_objects_free(tables->objects);
}

static TextPart part(const char *text)
{
	return (TextPart){ text, strlen(text) };
}

static void feed(const Tables *tables, const char *lines)
{
	user_maps_parse(tables->maps, part(lines));
}

/* Expects this place: the path of an object with the offset, or NULL. */
static void expect_place(const Tables *tables, uint32_t tgid, uint64_t time_ns, uint64_t address,
			 const char *path, uint64_t offset)
{
	UserPlace place;
	bool found = user_maps_lookup(tables->maps, tgid, time_ns, address, &place);

	cr_assert(eq(int, found, path != NULL), "%u at %lu: %lx", tgid, time_ns, address);
	cr_expect(eq(u64, place.offset, offset));
	if (path)
		cr_expect(eq(str, (char *)user_objects_get(tables->objects, place.object)->path,
			     (char *)path));
	else
		cr_expect(eq(u32, place.object, USER_OBJECT_UNKNOWN));
}

Test(user_maps, a_place_is_an_offset_in_the_file)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 5 10 55d000 2000 1000 8:1 abc 0 - /bin/a b\n"
		      "m 5 10 7f0000 1000 0 8:1 abd 0 00112233445566778899aabbccddeeff00112233 "
		      "/lib/libc.so\n");
	expect_place(&tables, 10, 5, 0x55d010, "/bin/a b", 0x1010);
	expect_place(&tables, 10, 99, 0x55efff, "/bin/a b", 0x2fff);
	expect_place(&tables, 10, 5, 0x7f0000, "/lib/libc.so", 0);
	cr_expect(eq(u32, user_objects_count(tables.objects), 2));
	free_tables(&tables);
}

Test(user_maps, an_address_outside_of_mappings_is_no_place)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 5 10 55d000 2000 0 8:1 abc 0 - /bin/a\n");
	expect_place(&tables, 10, 5, 0x55cfff, NULL, 0x55cfff);
	expect_place(&tables, 10, 5, 0x55f000, NULL, 0x55f000);
	expect_place(&tables, 10, 4, 0x55d000, NULL, 0x55d000);
	expect_place(&tables, 11, 5, 0x55d000, NULL, 0x55d000);
	expect_place(&tables, 10, 5, UINT64_MAX, NULL, UINT64_MAX);
	free_tables(&tables);
}

Test(user_maps, generated_code_is_one_object_of_the_process_by_address)
{
	Tables tables = new_tables(PLENTY);
	UserPlace place;

	feed(&tables, "m 5 10 1000 1000 0 0:0 0 0 - //anon\n"
		      "m 6 10 9000 1000 9 0:1 77 0 - /memfd:doublemapper (deleted)\n"
		      "m 6 11 1000 1000 0 0:0 0 0 -\n");
	expect_place(&tables, 10, 9, 0x1010, "//anon", 0x1010);
	expect_place(&tables, 10, 9, 0x9010, "//anon", 0x9010);
	cr_assert(user_maps_lookup(tables.maps, 11, 9, 0x1000, &place));
	cr_expect(eq(str, (char *)user_objects_get(tables.objects, place.object)->key, "jit:11"));
	cr_expect(eq(u32, user_objects_count(tables.objects), 2));
	free_tables(&tables);
}

Test(user_maps, a_place_in_the_vdso_is_an_offset_in_the_mapping)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 5 10 7ffc000 2000 0 0:0 0 0 - [vdso]\n"
		      "m 5 11 7ffe000 2000 7ffe000 0:0 0 0 - [vdso]\n");
	expect_place(&tables, 10, 5, 0x7ffc100, "[vdso]", 0x100);
	expect_place(&tables, 11, 5, 0x7ffe100, "[vdso]", 0x100);
	cr_expect(eq(u32, user_objects_count(tables.objects), 1));
	free_tables(&tables);
}

Test(user_maps, a_mapping_replaces_what_it_covers_from_its_time_on)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 5 10 1000 3000 0 8:1 a 0 - /a\n"
		      "m 7 10 2000 1000 0 8:1 b 0 - /b\n");
	expect_place(&tables, 10, 6, 0x2000, "/a", 0x1000);
	expect_place(&tables, 10, 7, 0x1fff, "/a", 0xfff);
	expect_place(&tables, 10, 7, 0x2000, "/b", 0);
	expect_place(&tables, 10, 7, 0x3000, "/a", 0x2000);
	free_tables(&tables);
}

Test(user_maps, a_mapping_that_arrives_late_ends_where_a_later_one_begins)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 7 10 2000 1000 0 8:1 b 0 - /b\n"
		      "m 5 10 1000 3000 0 8:1 a 0 - /a\n");
	expect_place(&tables, 10, 6, 0x2000, "/a", 0x1000);
	expect_place(&tables, 10, 7, 0x2000, "/b", 0);
	expect_place(&tables, 10, 9, 0x3000, "/a", 0x2000);
	free_tables(&tables);
}

Test(user_maps, a_mapping_reported_again_outlives_one_that_arrives_late)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 1 10 1000 1000 0 8:1 a 0 - /a\n"
		      "m 5 10 1000 1000 0 8:1 a 0 - /a\n"
		      "m 3 10 1000 1000 0 8:1 b 0 - /b\n");
	expect_place(&tables, 10, 2, 0x1000, "/a", 0);
	expect_place(&tables, 10, 4, 0x1000, "/b", 0);
	expect_place(&tables, 10, 5, 0x1000, "/a", 0);
	free_tables(&tables);
}

Test(user_maps, toggling_the_rights_of_generated_code_takes_no_memory)
{
	Tables tables = new_tables(PLENTY);
	size_t bytes;

	feed(&tables, "m 1 10 1000 1000 0 0:0 0 0 - //anon\n");
	bytes = user_maps_memory(tables.maps);
	for (unsigned i = 2; i < 1000; i++) {
		g_autofree char *line =
			g_strdup_printf("m %u 10 1000 1000 0 0:0 0 0 - //anon\n", i);

		feed(&tables, line);
	}
	cr_expect(eq(sz, user_maps_memory(tables.maps), bytes));
	free_tables(&tables);
}

Test(user_maps, exec_ends_all_earlier_mappings)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "x 7 10\n"
		      "m 8 10 1000 1000 0 8:1 b 0 - /b\n"
		      "m 5 10 1000 3000 0 8:1 a 0 - /a\n");
	expect_place(&tables, 10, 6, 0x2000, "/a", 0x1000);
	expect_place(&tables, 10, 7, 0x2000, NULL, 0x2000);
	expect_place(&tables, 10, 8, 0x1000, "/b", 0);
	free_tables(&tables);
}

Test(user_maps, a_child_has_the_mappings_of_its_parent_at_the_fork)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "f 7 11 10\n"
		      "f 8 12 11\n"
		      "m 9 11 5000 1000 0 8:1 c 0 - /c\n"
		      "m 8 10 1000 1000 0 8:1 b 0 - /b\n"
		      "x 9 10\n"
		      "m 5 10 1000 3000 0 8:1 a 0 - /a\n");
	expect_place(&tables, 11, 9, 0x1000, "/a", 0);
	expect_place(&tables, 12, 9, 0x1000, "/a", 0);
	expect_place(&tables, 11, 9, 0x5000, "/c", 0);
	expect_place(&tables, 12, 9, 0x5000, NULL, 0x5000);
	expect_place(&tables, 11, 6, 0x1000, NULL, 0x1000);
	free_tables(&tables);
}

Test(user_maps, a_new_process_with_a_known_id_has_nothing_of_the_old_one)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 1 1 9000 1000 0 8:1 c 0 - /c\n"
		      "m 5 10 1000 3000 0 8:1 a 0 - /a\n"
		      "e 6 10\n"
		      "f 8 10 1\n");
	expect_place(&tables, 10, 5, 0x1000, "/a", 0);
	expect_place(&tables, 10, 7, 0x1000, "/a", 0);
	expect_place(&tables, 10, 8, 0x1000, NULL, 0x1000);
	expect_place(&tables, 10, 8, 0x9000, "/c", 0);
	free_tables(&tables);
}

Test(user_maps, a_loop_of_forks_ends)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "f 5 10 11\nf 5 11 10\nf 6 12 12\n");
	expect_place(&tables, 10, 9, 0x1000, NULL, 0x1000);
	expect_place(&tables, 12, 9, 0x1000, NULL, 0x1000);
	free_tables(&tables);
}

/* What lines say, found the slow way. */
typedef struct {
	UserMapType type;
	uint64_t time_ns;
	uint32_t tgid, parent;
	uint64_t start, end;
	unsigned file; /* its inode is one more */
} Fact;

enum { PROCESSES = 3, ADDRESSES = 12, FACTS = 24, ROUNDS = 400 };

static const Fact *last_fact(const Fact *facts, uint32_t tgid, uint64_t time_ns, bool of_eras,
			     uint64_t address)
{
	const Fact *last = NULL;

	for (unsigned i = 0; i < FACTS; i++) {
		const Fact *fact = &facts[i];
		bool is_mapping = fact->type == USER_MAP_MAPPED;

		if (fact->tgid != tgid || fact->time_ns > time_ns || is_mapping == of_eras)
			continue;
		if (is_mapping && (address < fact->start || address >= fact->end))
			continue;
		if (!last || fact->time_ns > last->time_ns)
			last = fact;
	}
	return last;
}

static const Fact *model_find(const Fact *facts, uint32_t tgid, uint64_t time_ns, uint64_t address)
{
	const Fact *era = last_fact(facts, tgid, time_ns, true, 0);
	const Fact *mapping = last_fact(facts, tgid, time_ns, false, address);

	if (mapping && (!era || mapping->time_ns > era->time_ns))
		return mapping;
	if (!era || era->type != USER_MAP_FORKED)
		return NULL;
	return model_find(facts, era->parent, era->time_ns, address);
}

/* A file is mapped once with eras, since the same mapping before and after an exec is taken as
   there between them, and else twice: of more times only the first and the last are known. */
static Fact make_fact(GRand *rand, unsigned i, bool has_eras)
{
	Fact fact = { .time_ns = i + 1,
		      .tgid = 1 + (uint32_t)g_rand_int_range(rand, 0, PROCESSES),
		      .start = (uint64_t)g_rand_int_range(rand, 0, ADDRESSES) };

	fact.end = (uint64_t)g_rand_int_range(rand, (gint32)fact.start + 1, ADDRESSES + 1);
	fact.file = has_eras ? i : i % (FACTS / 2);
	if (has_eras && g_rand_int_range(rand, 0, 4) == 0)
		fact.type = g_rand_boolean(rand) ? USER_MAP_FORKED : USER_MAP_EXECUTED;
	fact.parent = 1 + fact.tgid % PROCESSES;
	return fact;
}

static void feed_fact(const Tables *tables, const Fact *fact)
{
	g_autoptr(GString) text = g_string_new(NULL);
	UserMapLine line = { .type = fact->type,
			     .time_ns = fact->time_ns,
			     .tgid = fact->tgid,
			     .parent_tgid = fact->parent,
			     .start = fact->start,
			     .length = fact->end - fact->start,
			     .file_offset = fact->start, /* so that one file is one mapping */
			     .file = { .inode = fact->file + 1 },
			     .path = { "/x", 2 } };

	user_map_line_append(text, &line);
	feed(tables, text->str);
}

static void expect_model(const Tables *tables, const Fact *facts, uint64_t from_ns)
{
	for (uint32_t tgid = 1; tgid <= PROCESSES; tgid++)
		for (uint64_t time_ns = from_ns; time_ns <= FACTS + 1; time_ns++)
			for (uint64_t address = 0; address <= ADDRESSES; address++) {
				const Fact *fact = model_find(facts, tgid, time_ns, address);
				UserPlace place;

				user_maps_lookup(tables->maps, tgid, time_ns, address, &place);
				cr_assert(eq(int, place.object != 0, fact != NULL));
				cr_assert(eq(u64, place.offset, address));
				if (fact)
					cr_assert(eq(u64,
						     user_objects_get(tables->objects, place.object)
							     ->file.inode,
						     fact->file + 1));
			}
}

static void expect_any_order(bool has_eras, bool has_settled)
{
	GRand *rand = g_rand_new_with_seed(20261123);

	for (unsigned round = 0; round < ROUNDS; round++) {
		Tables tables = new_tables(PLENTY);
		Fact facts[FACTS];

		for (unsigned i = 0; i < FACTS; i++)
			facts[i] = make_fact(rand, i, has_eras);
		for (unsigned i = FACTS - 1; i > 0; i--) {
			unsigned other = (unsigned)g_rand_int_range(rand, 0, (gint32)i + 1);
			Fact fact = facts[i];

			facts[i] = facts[other];
			facts[other] = fact;
		}
		for (unsigned i = 0; i < FACTS; i++)
			feed_fact(&tables, &facts[i]);
		for (unsigned i = 0; has_settled && i < 1000; i++)
			feed(&tables, "e 1 99\n");
		if (has_settled)
			user_maps_settle(tables.maps, FACTS / 2);
		expect_model(&tables, facts, has_settled ? FACTS / 2 : 0);
		free_tables(&tables);
	}
	g_rand_free(rand);
}

Test(user_maps, any_order_of_arrival_gives_the_same_places)
{
	expect_any_order(true, false);
}

Test(user_maps, any_order_of_repeated_mappings_gives_the_same_places)
{
	expect_any_order(false, false);
}

Test(user_maps, settling_does_not_change_later_lookups)
{
	expect_any_order(true, true);
	expect_any_order(false, true);
}

/* How many of the lines that make the table anew are of this type. */
static unsigned lines_of(const Tables *tables, char type)
{
	g_autoptr(GString) out = g_string_new(NULL);
	TextPart rest, line;
	unsigned count = 0;

	user_maps_append(tables->maps, out);
	rest = (TextPart){ out->str, out->len };
	while (text_part_next_line(&rest, &line))
		count += line.text[0] == type;
	return count;
}

static void run_processes(const Tables *tables, unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++) {
		g_autofree char *lines =
			g_strdup_printf("f %u0 %u 1\nx %u1 %u\n"
					"m %u2 %u 1000 3000 0 8:1 a 0 - /a\ne %u9 %u\n",
					i, i, i, i, i, i, i, i);

		feed(tables, lines);
	}
}

Test(user_maps, settling_forgets_processes_that_ended)
{
	Tables tables = new_tables(PLENTY);
	size_t bytes;

	run_processes(&tables, 1000, 1000);
	cr_expect(eq(uint, lines_of(&tables, 'e'), 1000));
	bytes = user_maps_memory(tables.maps);
	user_maps_settle(tables.maps, 15000);
	cr_expect(eq(uint, lines_of(&tables, 'e'), 500));
	cr_expect(lt(sz, user_maps_memory(tables.maps), bytes * 2 / 3));
	expect_place(&tables, 1500, 15005, 0x1000, "/a", 0);
	free_tables(&tables);
}

Test(user_maps, a_parent_that_ended_is_known_as_long_as_its_children)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 1 10 1000 1000 0 8:1 a 0 - /a\n"
		      "f 2 11 10\nm 3 10 1000 1000 0 8:1 b 0 - /b\ne 4 10\n");
	run_processes(&tables, 1000, 1000);
	user_maps_settle(tables.maps, 50000);
	expect_place(&tables, 11, 60000, 0x1000, "/a", 0);
	feed(&tables, "e 60000 11\n");
	run_processes(&tables, 7000, 1000);
	user_maps_settle(tables.maps, 90000);
	expect_place(&tables, 11, 90000, 0x1000, NULL, 0x1000);
	free_tables(&tables);
}

Test(user_maps, what_finds_no_room_is_counted)
{
	Tables tables = new_tables(1 << 16);

	run_processes(&tables, 1000, 1000);
	cr_expect(lt(u64, 1000, user_maps_losses(tables.maps)->dropped));
	cr_expect(eq(u64, user_maps_losses(tables.maps)->invalid, 0));
	cr_expect(le(sz, user_maps_memory(tables.maps), 1 << 16));
	expect_place(&tables, 1001, 10012, 0x1000, "/a", 0);
	free_tables(&tables);
}

Test(user_maps, one_process_has_a_bounded_number_of_mappings)
{
	Tables tables = new_tables(PLENTY);

	for (unsigned i = 0; i < 40000; i++) {
		g_autofree char *line =
			g_strdup_printf("m 1 10 %x000 800 0 8:1 %x 0 - /a\n", i, i % 7 + 1);

		feed(&tables, line);
	}
	cr_expect(eq(u64, user_maps_losses(tables.maps)->dropped, 40000 - 32768));
	free_tables(&tables);
}

Test(user_maps, invalid_lines_are_counted)
{
	static const char *const lines[] = {
		"q 1 10",
		"mm 1 10 1000 1000 0 8:1 a 0 - /a",
		"m 1",
		"m 1 10 1000 0 0 8:1 a 0 - /a",
		"m 1 10 ffffffffffffff00 100 0 8:1 a 0 - /a",
		"m 1 10 ffffffffffffff00 1ff 0 8:1 a 0 - /a",
		"m 1 10 11111111111111111 1 0 8:1 a 0 - /a",
		"m 1 10 1000 1000 0 8 a 0 - /a",
		"m 1 10 1000 1000 0 8:x a 0 - /a",
		"m 1 10 1000 1000 0 8:1 a 0 12345 /a",
		"m 1 10 1000 1000 0 8:1 a 0 1234567890123456789012345678901234567890ab /a",
		"m 18446744073709551616 10 1000 1000 0 8:1 a 0 - /a",
		"m 1 4294967296 1000 1000 0 8:1 a 0 - /a",
		"f 1 10",
		"x 1",
		"e -1 10",
		" ",
	};
	Tables tables = new_tables(PLENTY);

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		user_maps_parse_line(tables.maps, part(lines[i]));
		cr_expect(eq(u64, user_maps_losses(tables.maps)->invalid, i + 1), "%s", lines[i]);
	}
	for (const char *type = "mfxe"; *type; type++)
		cr_expect(eq(uint, lines_of(&tables, *type), 0));
	free_tables(&tables);
}

Test(user_maps, a_line_is_read_as_it_was_written)
{
	static const char text[] = "m 18446744073709551615 4294967295 7f00 ff 1000 259:1048575 abc "
				   "ffffffff 00ff10 /a b\\012c\n";
	g_autoptr(GString) written = g_string_new(NULL);
	UserMapLine line;

	cr_assert(user_map_line_parse((TextPart){ text, sizeof(text) - 2 }, &line));
	line.path = part("/a b\nc");
	user_map_line_append(written, &line);
	cr_expect(eq(str, written->str, (char *)text));
}

Test(user_maps, a_thread_is_no_fork)
{
	Tables tables = new_tables(PLENTY);

	feed(&tables, "m 1 10 1000 1000 0 8:1 a 0 - /a\nf 2 10 10\n");
	expect_place(&tables, 10, 3, 0x1000, "/a", 0);
	free_tables(&tables);
}
