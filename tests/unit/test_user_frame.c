/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/user_frame.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(user_frame);

enum { PLENTY = 1 << 20, PROGRAM = 1, LIBRARY = 2 };

/* A program with main() and work() at 0x100 and 0x200, and a C library with a start at 0x300. */
typedef struct {
	UserObjects *objects;
	UserNames *names;
} Stage;

static void stage_init(Stage *stage)
{
	static const char lines[] = "s I:0:0:a ff f 40 main\n"
				    "s I:0:0:a 1ff f 40 work\n"
				    "s I:0:0:b 2ff f 40 __libc_start_call_main\n";
	UserMapLine line = { .file = { .inode = 0xa }, .path = { "/a", 2 } };

	stage->objects = user_objects_new(PLENTY);
	user_objects_intern(stage->objects, &line);
	line.file.inode = 0xb;
	user_objects_intern(stage->objects, &line);
	stage->names = user_names_new(stage->objects, PLENTY);
	user_names_parse(stage->names, (TextPart){ lines, strlen(lines) });
}

static void stage_clear(Stage *stage)
{
	user_names_free(stage->names);
	user_objects_free(stage->objects);
}

static void expect_reach(bool expected, const UserPlace *places, uint32_t count)
{
	Stage stage;

	stage_init(&stage);
	cr_expect_eq(user_places_reach_start(stage.names, places, count), expected);
	stage_clear(&stage);
}

Test(user_frame, a_stack_that_ends_in_a_start_function_reaches_the_start)
{
	const UserPlace places[] = { { PROGRAM, 0x200 }, { PROGRAM, 0x100 }, { LIBRARY, 0x300 } };

	expect_reach(true, places, 3);
	expect_reach(false, places, 2);
}

Test(user_frame, a_stack_reaches_the_start_if_main_is_called_from_a_library_without_symbols)
{
	const UserPlace places[] = { { PROGRAM, 0x200 }, { PROGRAM, 0x100 }, { LIBRARY, 0x900 } };
	const UserPlace not_main[] = { { PROGRAM, 0x100 }, { PROGRAM, 0x200 }, { LIBRARY, 0x900 } };
	const UserPlace same_object[] = { { PROGRAM, 0x100 }, { PROGRAM, 0x900 } };

	expect_reach(true, places, 3);
	expect_reach(false, not_main, 3);
	expect_reach(false, same_object, 2);
}
