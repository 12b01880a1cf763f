/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/stack_table.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(stack_table);

enum { PLENTY = 64 << 20 };

Test(stack_table, same_frames_get_the_same_id)
{
	StackTable *table = stack_table_new(PLENTY);
	const uint64_t frames[] = { 1, 2, 3 };
	StackId id = stack_table_intern(table, frames, sizeof(frames), 0);

	cr_expect(eq(u32, stack_table_intern(table, frames, sizeof(frames), 0), id));
	cr_expect(eq(u32, stack_table_count(table), 1));
	stack_table_free(table);
}

Test(stack_table, stacks_differ_by_depth_order_and_tag)
{
	StackTable *table = stack_table_new(PLENTY);
	const uint64_t frames[] = { 1, 2, 3 };
	const uint64_t turned[] = { 3, 2, 1 };

	stack_table_intern(table, frames, sizeof(frames), 0);
	stack_table_intern(table, frames, sizeof(frames) - 8, 0);
	stack_table_intern(table, turned, sizeof(turned), 0);
	stack_table_intern(table, frames, sizeof(frames), 1);
	cr_expect(eq(u32, stack_table_count(table), 4));
	cr_expect(eq(u32, stack_table_tag(table, 3), 1));
	stack_table_free(table);
}

Test(stack_table, bytes_stay_where_they_are_while_it_grows)
{
	StackTable *table = stack_table_new(PLENTY);
	uint64_t frames[20] = { 0 };
	uint32_t length;
	const uint64_t *first;

	stack_table_intern(table, frames, sizeof(frames), 0);
	first = stack_table_bytes(table, 0, &length);
	for (uint64_t i = 1; i < 50000; i++) {
		frames[7] = i;
		cr_assert(eq(u32, stack_table_intern(table, frames, sizeof(frames), 0), i));
	}
	cr_expect(stack_table_bytes(table, 0, &length) == first);
	cr_expect(eq(u32, length, sizeof(frames)));
	for (uint32_t i = 0; i < 50000; i++) {
		const uint64_t *kept = stack_table_bytes(table, i, &length);

		cr_assert(eq(u64, kept[7], i));
	}
	stack_table_free(table);
}

Test(stack_table, a_full_table_keeps_what_it_has)
{
	StackTable *table = stack_table_new(2 << 20);
	uint64_t frames[100] = { 0 };
	uint64_t kept = 0;

	while (stack_table_intern(table, frames, sizeof(frames), 0) != STACK_ID_NONE)
		frames[0] = ++kept;
	cr_expect(lt(u64, 1000, kept));
	cr_expect(le(u64, stack_table_memory(table), (2 << 20) + (2 << 20)));
	frames[0] = 5;
	cr_expect(eq(u32, stack_table_intern(table, frames, sizeof(frames), 0), 5));
	stack_table_free(table);
}
