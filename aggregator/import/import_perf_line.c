/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the lines that `perf script` prints, for import_perf_script.c: that of a sample into a
 * PerfSample, and that of a frame into a frame line of ours. Frames of user space are left out:
 * they differ between processes. The fields of samples are those of the kernel's tracepoints
 * (include/trace/events/kmem.h):
 *
 *	find 22899 [000]  1341.391415: kmem:kmalloc: call_site=... bytes_req=32 bytes_alloc=32 ...
 *	find 22899 [000]  1341.391420: PERF_RECORD_LOST lost 900
 */
#include "config.h"

#include "import/import_perf_line.h"

#include "base/clock.h"
#include "import/import_text.h"

#include <string.h>

/* Samples. */

enum { PAGE_ORDER_MAX = 20 };

/* The samples that are read: of these tracepoints. */
#define KMEM_GROUP "kmem"

/* What gfp_flags= says about the kmalloc class. */
static const struct {
	const char *word;
	uint32_t bit;
} gfp_words[] = {
	{ "GFP_DMA", GFP_BIT_DMA },
	{ "__GFP_DMA", GFP_BIT_DMA },
	{ "__GFP_RECLAIMABLE", GFP_BIT_RECLAIMABLE },
};

/* Returns the nanoseconds of the digits after the decimal point. */
static uint64_t fraction_ns(const char *digits, const char *end)
{
	uint64_t ns = 0, worth = NS_PER_SECOND / 10;

	for (; digits < end && worth; digits++, worth /= 10)
		ns += (uint64_t)(*digits - '0') * worth;
	return ns;
}

/* "SECONDS.FRACTION:", with micro- or nanoseconds */
static bool take_time(Cursor *cursor, uint64_t *time_ns)
{
	Cursor at = *cursor;
	uint64_t seconds, number;
	const char *fraction;

	if (!cursor_take_decimal(&at, &seconds) || seconds > INT64_MAX / NS_PER_SECOND - 1 ||
	    !cursor_take(&at, "."))
		return false;
	fraction = at.at;
	if (!cursor_take_decimal(&at, &number))
		return false;
	*time_ns = seconds * NS_PER_SECOND + fraction_ns(fraction, at.at);
	if (!cursor_take(&at, ":"))
		return false;
	*cursor = at;
	return true;
}

/* "PID[/TID]"; -1: of a task that has just ended. */
static bool take_task(Cursor *cursor, PerfSample *sample)
{
	Cursor at = *cursor;
	uint64_t pid, tid;

	sample->has_task = !cursor_take(&at, "-1");
	if (!sample->has_task) {
		*cursor = at;
		return true;
	}
	if (!cursor_take_decimal(&at, &pid) || pid > UINT32_MAX)
		return false;
	tid = pid;
	if (cursor_take(&at, "/") && (!cursor_take_decimal(&at, &tid) || tid > UINT32_MAX))
		return false;
	*cursor = at;
	sample->task.tgid = (uint32_t)pid;
	sample->task.tid = (uint32_t)tid;
	return true;
}

/* "PID[/TID] [CPU] TIME:"; the CPU is optional */
static bool take_place(Cursor *cursor, PerfSample *sample)
{
	Cursor at = *cursor;
	uint64_t number;

	if (!take_task(&at, sample) || !cursor_skip_blanks(&at))
		return false;
	if (cursor_take(&at, "[")) {
		if (!cursor_take_decimal(&at, &number) || !cursor_take(&at, "]"))
			return false;
		sample->cpu = (uint32_t)MIN(number, UINT32_MAX);
		cursor_skip_blanks(&at);
	}
	if (!take_time(&at, &sample->time_ns) || !cursor_skip_blanks(&at))
		return false;
	*cursor = at;
	return true;
}

/* Finds " NAME=" in the fields of an event. Returns the text after it; empty if not found. */
static Cursor field_value(Cursor fields, const char *name)
{
	const char *word;
	size_t length;

	do {
		cursor_skip_blanks(&fields);
		if (cursor_take(&fields, name))
			break;
	} while (cursor_take_word(&fields, &word, &length));
	return fields;
}

static uint64_t field_number(Cursor fields, const char *name)
{
	Cursor at = field_value(fields, name);
	uint64_t value = 0;

	cursor_take_decimal(&at, &value);
	return value;
}

/* "0xffff888100c491e0" or, without its prefix, a decimal number; anything else is 0. */
static uint64_t field_address(Cursor fields, const char *name)
{
	Cursor at = field_value(fields, name);
	uint64_t value = 0;
	unsigned digits;

	if (!cursor_take(&at, "0x"))
		cursor_take_decimal(&at, &value);
	else if (!cursor_take_hex(&at, &value, &digits))
		return 0;
	return value;
}

/* "GFP_KERNEL_ACCOUNT|__GFP_ZERO" */
static uint32_t gfp_bits(Cursor flags)
{
	const char *word, *end;
	size_t length;
	uint32_t bits = 0;

	cursor_take_word(&flags, &word, &length);
	for (; length; word = end + 1) {
		size_t word_bytes;

		end = memchr(word, '|', length);
		word_bytes = end ? (size_t)(end - word) : length;
		for (size_t i = 0; i < G_N_ELEMENTS(gfp_words); i++)
			if (word_bytes == strlen(gfp_words[i].word) &&
			    !memcmp(word, gfp_words[i].word, word_bytes))
				bits |= gfp_words[i].bit;
		if (!end)
			break;
		length -= word_bytes + 1;
	}
	return bits;
}

/* Newer kernels report the cache of an object. */
static void read_cache(Cursor fields, PerfSample *sample)
{
	Cursor name = field_value(fields, "name=");
	const char *word;
	size_t length;

	if (!cursor_take_word(&name, &word, &length))
		return;
	sample->cache.name_bytes = (uint16_t)MIN(length, (size_t)KMT_CACHE_NAME_BYTES_MAX);
	memcpy(sample->cache.name, word, sample->cache.name_bytes);
	sample->cache.object_bytes = (uint32_t)MIN(sample->bytes_requested, UINT32_MAX);
	sample->cache.slot_bytes = (uint32_t)MIN(sample->bytes_allocated, UINT32_MAX);
}

/* Whether the value is a null pointer, or the page number of none. */
static bool field_is_null(Cursor fields, const char *name)
{
	Cursor at = field_value(fields, name);
	uint64_t value;
	unsigned digits;

	if (cursor_take(&at, "(nil)") || cursor_take(&at, "-1"))
		return true;
	if (cursor_take(&at, "0x"))
		return cursor_take_hex(&at, &value, &digits) && (!value || value == UINT64_MAX);
	return cursor_take_decimal(&at, &value) && (!value || value == UINT64_MAX);
}

static void read_fields(Cursor fields, PerfSample *sample)
{
	Cursor call_site = field_value(fields, "call_site=");
	Cursor accounted = field_value(fields, "accounted=");

	cursor_take_word(&call_site, &sample->call_site, &sample->call_site_bytes);
	sample->bytes_requested = field_number(fields, "bytes_req=");
	sample->bytes_allocated = field_number(fields, "bytes_alloc=");
	sample->gfp_flags = gfp_bits(field_value(fields, "gfp_flags="));
	/* A kernel that prints this field has separate caches for such objects. */
	if (cursor_take(&accounted, "true"))
		sample->gfp_flags |= GFP_BIT_ACCOUNT;
	read_cache(fields, sample);
	if (!sample->point || sample->point->source != KMT_SOURCE_PAGE) {
		sample->pointer = field_address(fields, "ptr=");
		sample->failed = field_is_null(fields, "ptr=");
		return;
	}
	/* "page=0xffffea00007c2e00 pfn=0x1f0b8 order=0"; page 0 is never allocated. */
	sample->order = (unsigned)MIN(field_number(fields, "order="), PAGE_ORDER_MAX);
	sample->failed = field_is_null(fields, "pfn=") || field_is_null(fields, "page=");
	if (!sample->failed)
		sample->page = field_address(fields, "pfn=");
}

/* Reads the name of an event. Returns NULL if it is not one of an allocator. */
static const ProbePoint *take_point(Cursor *cursor)
{
	Cursor name = *cursor;

	if (!cursor_take(&name, KMEM_GROUP ":"))
		return NULL;
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		for (const ProbePoint *point = kind->points; point->name; point++) {
			Cursor end = name;

			if (!g_str_equal(point->group, KMEM_GROUP) ||
			    !cursor_take(&end, point->name) || !cursor_take(&end, ":"))
				continue;
			*cursor = end;
			return point;
		}
	return NULL;
}

/* "PERF_RECORD_LOST lost 900", "PERF_RECORD_LOST_SAMPLES lost 12", and those of other kinds. */
static bool take_record(Cursor *cursor, PerfSample *sample)
{
	Cursor at = *cursor;
	const char *word;
	size_t length;

	if (!cursor_take(&at, "PERF_RECORD_"))
		return false;
	sample->is_record = true;
	if (cursor_take(&at, "LOST")) {
		cursor_take(&at, "_SAMPLES");
		cursor_skip_blanks(&at);
		if (!cursor_take(&at, "lost ") || !cursor_take_decimal(&at, &sample->lost))
			return false;
	}
	while (cursor_take_word(&at, &word, &length))
		cursor_skip_blanks(&at);
	*cursor = at;
	return true;
}

static bool take_event(Cursor *cursor, PerfSample *sample)
{
	const char *word;
	size_t length;
	uint64_t period;
	Cursor at = *cursor;

	if (take_record(cursor, sample))
		return true;
	/* The period is printed only if requested. */
	sample->period = 1;
	if (cursor_take_decimal(&at, &period) && cursor_skip_blanks(&at)) {
		*cursor = at;
		sample->period = CLAMP(period, 1, UINT32_MAX);
	}
	sample->point = take_point(cursor);
	if (sample->point)
		return true;
	return cursor_take_word(cursor, &word, &length) && length > 1 && word[length - 1] == ':';
}

/* The name may contain blanks and brackets. It ends before the first text that matches the rest. */
bool perf_sample_read(const char *line, size_t length, PerfSample *sample)
{
	Cursor at = cursor_over(line, length);
	const char *comm, *word;
	size_t word_bytes;

	memset(sample, 0, sizeof(*sample));
	cursor_skip_blanks(&at);
	comm = at.at;
	while (cursor_take_word(&at, &word, &word_bytes)) {
		const char *comm_end = at.at;

		cursor_skip_blanks(&at);
		Cursor rest = at;

		if (!take_place(&rest, sample) || !take_event(&rest, sample))
			continue;
		memcpy(sample->task.comm, comm,
		       MIN(import_trimmed(comm, (size_t)(comm_end - comm)),
			   (size_t)KMT_COMM_BYTES));
		read_fields(rest, sample);
		return true;
	}
	return false;
}

/* Frames. */

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
