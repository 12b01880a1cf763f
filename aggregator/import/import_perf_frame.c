/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a frame line of perf script to a frame line of ours, for import_perf_script.c. Frames of
 * user space are left out: they differ between processes.
 */
#include "config.h"

#include "import/import_perf_sample.h"

#include "import/import_text.h"

#include <string.h>

enum { STACK_BYTES_MAX = 256 * 1024 };

/* Objects in brackets that are not kernel modules. */
static const char *const user_objects[] = { "[unknown]", "[vdso]",  "[vdso32]", "[vsyscall]",
					    "[heap]",    "[stack]", "[anon]",   "[uprobes]" };

static bool text_is(const char *text, size_t length, const char *literal)
{
	return length == strlen(literal) && memcmp(text, literal, length) == 0;
}

static bool text_begins(const char *text, size_t length, const char *literal)
{
	return length >= strlen(literal) && memcmp(text, literal, strlen(literal)) == 0;
}

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz": printed by older releases instead of "[ext4]" */
static bool module_of_path(const char **object, size_t *length)
{
	const char *slash = memrchr(*object, '/', *length);
	const char *end = *object + *length;
	const char *suffix;

	if (!slash)
		return false;
	suffix = memmem(slash, (size_t)(end - slash), ".ko", 3);
	if (!suffix || (suffix + 3 < end && suffix[3] != '.'))
		return false;
	*object = slash + 1;
	*length = (size_t)(suffix - *object);
	return true;
}

/* Converts the object of a frame to a module name. Returns false for user space. */
static bool module_of_object(const char **object, size_t *length)
{
	static const char kernel[] = "kernel";

	if (text_begins(*object, *length, "[kernel.") ||
	    text_begins(*object, *length, "[guest.kernel.") ||
	    memmem(*object, *length, "vmlinux", 7)) {
		*object = kernel;
		*length = sizeof(kernel) - 1;
		return true;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(user_objects); i++) {
		if (text_is(*object, *length, user_objects[i]))
			return false;
	}
	if (text_begins(*object, *length, "bpf_prog_"))
		return true;
	if (*length > 2 && **object == '[' && (*object)[*length - 1] == ']') {
		*object += 1;
		*length -= 2;
		return true;
	}
	return module_of_path(object, length);
}

/* The parts of a frame line, borrowed from it. */
typedef struct {
	const char *digits;
	unsigned digit_count;
	const char *symbol;
	size_t symbol_bytes;
	const char *object;
	size_t object_bytes;
} PerfFrame;

/* "ADDRESS SYMBOL+0xOFFSET (OBJECT)"; the symbol may contain blanks and parentheses. */
static bool split_frame(const char *line, size_t length, PerfFrame *frame)
{
	Cursor at = cursor_over(line, length);
	const char *open;
	uint64_t address;

	if (!cursor_skip_blanks(&at))
		return false;
	frame->digits = at.at;
	if (!cursor_take_hex(&at, &address, &frame->digit_count) || !cursor_skip_blanks(&at) ||
	    cursor_at_end(&at) || at.end[-1] != ')')
		return false;
	open = memrchr(at.at, '(', (size_t)(at.end - at.at));
	if (!open || open - at.at < 2 || open[-1] != ' ')
		return false;
	frame->symbol = at.at;
	frame->symbol_bytes = (size_t)(open - 1 - at.at);
	frame->object = open + 1;
	frame->object_bytes = (size_t)(at.end - 1 - frame->object);
	return true;
}

/* Whether a frame without a module is the kernel's, judged by its address only. */
static bool is_kernel_address(const PerfFrame *frame)
{
	return frame->digit_count == 16 && g_ascii_xdigit_value(*frame->digits) >= 8 &&
	       (text_is(frame->object, frame->object_bytes, "[unknown]") ||
		text_is(frame->object, frame->object_bytes, "inlined"));
}

/* Appends " 0xADDRESS : SYMBOL+0xOFFSET [MODULE]", or nothing for a frame of user space. */
static void append_frame(GString *stack, PerfFrame frame, bool *in_user)
{
	enum { BETWEEN_BYTES_MAX = 16 }; /* length of the separators */
	bool named = !text_is(frame.symbol, frame.symbol_bytes, "[unknown]");
	bool has_module = module_of_object(&frame.object, &frame.object_bytes);
	gsize start = stack->len;
	char *at;

	*in_user = !has_module && (*in_user || !is_kernel_address(&frame));
	if (*in_user)
		return;
	if (stack->len + frame.symbol_bytes + frame.object_bytes > STACK_BYTES_MAX)
		return;
	/* Most of a file is frames, so each one is written in place. */
	g_string_set_size(stack, start + frame.digit_count + frame.symbol_bytes +
					 frame.object_bytes + BETWEEN_BYTES_MAX);
	at = mempcpy(mempcpy(stack->str + start, " 0x", 3), frame.digits, frame.digit_count);
	if (named)
		at = mempcpy(mempcpy(at, " : ", 3), frame.symbol, frame.symbol_bytes);
	if (named && has_module) {
		at = mempcpy(mempcpy(at, " [", 2), frame.object, frame.object_bytes);
		*at++ = ']';
	}
	*at++ = '\n';
	g_string_truncate(stack, (gsize)(at - stack->str));
}

bool perf_frame_read(GString *stack, const char *line, size_t length, bool *in_user)
{
	PerfFrame frame;

	if (!split_frame(line, length, &frame))
		return false;
	append_frame(stack, frame, in_user);
	return true;
}
