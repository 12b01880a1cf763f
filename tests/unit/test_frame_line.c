/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/frame_line.h"

#include "leaks.h"
#include "symbols/frame_table.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(frame_line);

typedef struct {
	const char *line;
	const char *symbol;   /* the line without its address */
	const char *function; /* as groups are labelled */
	Frame frame;          /* its fields */
} LineCase;

static const LineCase cases[] = {
	{ " 0xffffffff81000410 : __kmalloc+0x10/0x100 [kernel]",
	  "__kmalloc+0x10/0x100 [kernel]",
	  "__kmalloc [kernel]",
	  { .address = 0xffffffff81000410,
	    .address_digits = 16,
	    .function = "__kmalloc",
	    .module = "kernel",
	    .offset = 0x10,
	    .bytes = 0x100,
	    .has_offset = true } },
	{ " 0xc0003010 : open.isra.0+0x10/0x1000 [ext4]",
	  "open.isra.0+0x10/0x1000 [ext4]",
	  "open.isra.0 [ext4]",
	  { .address = 0xc0003010,
	    .address_digits = 8,
	    .function = "open.isra.0",
	    .module = "ext4",
	    .offset = 0x10,
	    .bytes = 0x1000,
	    .has_offset = true } },
	{ " 0xffffffffc0007010 [nameless+0x10/0x1000]",
	  "0xffffffffc0007010 [nameless+0x10/0x1000]",
	  "[nameless]",
	  { .address = 0xffffffffc0007010,
	    .address_digits = 16,
	    .module = "nameless",
	    .offset = 0x10,
	    .bytes = 0x1000 } },
	{ " 0xffffffff81000410 : kzalloc (inlined) [kernel] include/linux/slab.h:733",
	  "kzalloc (inlined) [kernel] include/linux/slab.h:733",
	  "kzalloc [kernel]",
	  { .address = 0xffffffff81000410,
	    .address_digits = 16,
	    .function = "kzalloc",
	    .module = "kernel",
	    .file = "include/linux/slab.h",
	    .line = 733,
	    .inlined = true } },
	{ " 0xffffffff81000410 : alloc_pipe_info+0xda/0x220 [kernel] fs/pipe.c:798",
	  "alloc_pipe_info+0xda/0x220 [kernel] fs/pipe.c:798",
	  "alloc_pipe_info [kernel]",
	  { .address = 0xffffffff81000410,
	    .address_digits = 16,
	    .function = "alloc_pipe_info",
	    .module = "kernel",
	    .offset = 0xda,
	    .bytes = 0x220,
	    .has_offset = true,
	    .file = "fs/pipe.c",
	    .line = 798 } },
	{ " 0xffffffff81000410 : made+0x1/0x2 [ext4] /home/me/a b: c.c",
	  "made+0x1/0x2 [ext4] /home/me/a b: c.c",
	  "made [ext4]",
	  { .address = 0xffffffff81000410,
	    .address_digits = 16,
	    .function = "made",
	    .module = "ext4",
	    .offset = 0x1,
	    .bytes = 0x2,
	    .has_offset = true,
	    .file = "/home/me/a b: c.c" } },
	{ " 0xffffffff81000410",
	  "0xffffffff81000410",
	  "0xffffffff81000410",
	  { .address = 0xffffffff81000410, .address_digits = 16 } },
};

Test(frame_line, what_is_printed_is_read_back)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const LineCase *row = &cases[i];
		g_autoptr(FrameTable) frames = frame_table_new(16);
		FrameId id = frame_table_intern_line(frames, row->line, strlen(row->line));
		g_autoptr(GString) line = g_string_new(NULL), symbol = g_string_new(NULL);
		g_autoptr(GString) function = g_string_new(NULL);
		Frame read = frame_table_get(frames, id);

		frame_line_append(line, &row->frame);
		frame_line_append_symbol(symbol, &row->frame);
		frame_line_append_function(function, &row->frame);
		cr_expect_str_eq(line->str, row->line);
		cr_expect_str_eq(symbol->str, row->symbol);
		cr_expect_str_eq(function->str, row->function);
		cr_expect_str_eq(read.text, row->line);
		read.text = NULL;
		cr_expect(frame_equals(&read, &row->frame), "%s", row->line);
	}
}

static const LineCase texts[] = {
	{ "[no stack recorded]", "[no stack recorded]", "[no stack recorded]", { .line = 0 } },
	{ "  ", "", "", { .line = 0 } },
	{ "tcp_sendmsg+12",
	  "tcp_sendmsg+12",
	  "tcp_sendmsg [kernel]",
	  { .function = "tcp_sendmsg", .offset = 12, .has_offset = true } },
	{ " 0xff : trace_kmalloc",
	  "0xff : trace_kmalloc",
	  "trace_kmalloc [kernel]",
	  { .address = 0xff, .address_digits = 2, .function = "trace_kmalloc", .inlined = true } },
	{ " 0xff : f+0x1 [bpf_prog_1]",
	  "0xff : f+0x1 [bpf_prog_1]",
	  "f [bpf_prog_1]",
	  { .address = 0xff,
	    .address_digits = 2,
	    .function = "f",
	    .module = "bpf_prog_1",
	    .offset = 1,
	    .has_offset = true } },
};

Test(frame_line, other_lines_stay_as_they_came)
{
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		const LineCase *row = &texts[i];
		g_autoptr(FrameTable) frames = frame_table_new(16);
		FrameId id = frame_table_intern_line(frames, row->line, strlen(row->line));
		g_autoptr(GString) line = g_string_new(NULL), symbol = g_string_new(NULL);
		g_autoptr(GString) function = g_string_new(NULL);
		Frame read = frame_table_get(frames, id);

		frame_line_append(line, &read);
		frame_line_append_symbol(symbol, &read);
		frame_line_append_function(function, &read);
		cr_expect_str_eq(line->str, row->line);
		cr_expect_str_eq(symbol->str, row->symbol);
		cr_expect_str_eq(function->str, row->function);
		read.text = NULL;
		cr_expect(frame_equals(&read, &row->frame), "%s", row->line);
		cr_expect_eq(frame_table_intern_line(frames, row->line, strlen(row->line)), id);
	}
}

/* Frames of an address may differ where a module was replaced by another one. */
static const Frame ordered[] = {
	{ .address = 0x2, .address_digits = 16 },
	{ .address = 0x10, .address_digits = 16, .function = "f", .module = "kernel", .offset = 1 },
	{ .address = 0x10, .address_digits = 16, .function = "f", .module = "kernel", .offset = 2 },
	{ .address = 0x10, .address_digits = 16, .function = "fa", .module = "kernel" },
	{ .address = 0x10, .address_digits = 16, .module = "ext4" },
	{ .address = 0x12, .address_digits = 16, .function = "a", .module = "kernel" },
	{ .address = 0xffffffff81000410, .address_digits = 16 },
	{ .text = "[a line]" },
	{ .text = "[another line]" },
};

Test(frame_line, frames_are_in_the_order_of_their_lines)
{
	for (size_t i = 0; i + 1 < G_N_ELEMENTS(ordered); i++) {
		g_autoptr(GString) line = g_string_new(NULL), next = g_string_new(NULL);

		frame_line_append(line, &ordered[i]);
		frame_line_append(next, &ordered[i + 1]);
		cr_expect_lt(strcmp(line->str, next->str), 0, "%s, %s", line->str, next->str);
		cr_expect_lt(frame_line_compare(&ordered[i], &ordered[i + 1]), 0);
		cr_expect_gt(frame_line_compare(&ordered[i + 1], &ordered[i]), 0);
		cr_expect_eq(frame_line_compare(&ordered[i], &ordered[i]), 0);
	}
}

Test(frame_line, frames_of_programs_have_no_address)
{
	static const struct {
		const char *line;
		const char *function;
		const char *module;
		uint64_t offset;
	} lines[] = {
		{ " main+0x1b/0x40 [ls]", "main", "ls", 0x1b },
		{ " _Znwm+0x1/0x2 [libstdc++.so.6]", "_Znwm", "libstdc++.so.6", 1 },
		{ " [libc.so.6+0xa3a92]", NULL, "libc.so.6", 0xa3a92 },
		{ " [libstdc++.so.6+0x10]", NULL, "libstdc++.so.6", 0x10 },
		{ "[no stack recorded]", NULL, NULL, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(FrameTable) frames = frame_table_new(16);
		FrameId id = frame_table_intern_line(frames, lines[i].line, strlen(lines[i].line));
		Frame frame = frame_table_get(frames, id);

		cr_expect_eq(g_strcmp0(frame.function, lines[i].function), 0, "%s", lines[i].line);
		cr_expect_eq(g_strcmp0(frame.module, lines[i].module), 0, "%s", lines[i].line);
		cr_expect_eq(frame.offset, lines[i].offset, "%s", lines[i].line);
		cr_expect_eq(frame.address_digits, 0, "%s", lines[i].line);
	}
}
