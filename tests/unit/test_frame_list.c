/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/frame_list.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(frame_list);

Test(frame_list, it_borrows_nothing)
{
	char function[] = "open", module[] = "ext4", file[] = "fs/ext4/file.c";
	const Frame frames[] = {
		{ .function = function, .module = module, .file = file, .line = 7 },
		{ .text = " f", .inlined = true },
	};
	g_autoptr(FrameList) list = frame_list_new(frames, 2);

	memset(function, 'x', sizeof(function) - 1);
	memset(module, 'x', sizeof(module) - 1);
	memset(file, 'x', sizeof(file) - 1);
	cr_expect_str_eq(list->frames[0].function, "open");
	cr_expect_str_eq(list->frames[0].module, "ext4");
	cr_expect_str_eq(list->frames[0].file, "fs/ext4/file.c");
	cr_expect_eq(list->frames[0].line, 7);
	cr_expect_str_eq(list->frames[1].text, " f");
	cr_expect_null(list->frames[1].function);
}

Test(frame_list, stacks_are_equal_by_what_they_hold)
{
	const Frame one[] = { { .function = "a", .module = "m" }, { .function = "b" } };
	const Frame other[] = { { .function = "a", .module = "m" }, { .function = "c" } };
	g_autoptr(FrameList) list = frame_list_new(one, 2), same = frame_list_new(one, 2);
	g_autoptr(FrameList) shorter = frame_list_new(one, 1), differs = frame_list_new(other, 2);
	g_autoptr(FrameList) shared = frame_list_ref(list);

	cr_expect(frame_list_equals(list, same));
	cr_expect(frame_list_equals(list, shared));
	cr_expect(frame_list_equals(NULL, NULL));
	cr_expect_not(frame_list_equals(list, shorter));
	cr_expect_not(frame_list_equals(list, differs));
	cr_expect_not(frame_list_equals(list, NULL));
}
