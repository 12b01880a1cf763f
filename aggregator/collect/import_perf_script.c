/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/import.h"
#include "collect/import_count.h"
#include "collect/import_text.h"
#include "collect/import_types.h"
#include "symbols/inner_kmallocs_find.h"

#include <string.h>

/*
 * What `perf script` prints of kmem samples:
 *
 *	find 22899 [000]  1341.391415: kmem:kmalloc: call_site=... bytes_req=32 bytes_alloc=32 ...
 *		ffffffff813cee01 __x64_sys_sched_setaffinity+0x61 ([kernel.kallsyms])
 *
 * Kernel frames are printed again in our form; those of user space are left out, as this is about
 * paths in the kernel and they differ from process to process. Samples of other events are
 * skipped.
 */

enum {
	STACK_BYTES_MAX = 256 * 1024,
	SMALL_BYTES_MAX = 8192, /* of a kmalloc, with the smallest pages that a kernel has */
};

/* Events that allocate; frees and everything else do not count. */
static const char *const allocation_events[] = {
	"kmem:kmalloc:",
	"kmem:kmalloc_node:",
	"kmem:kmem_cache_alloc:",
	"kmem:kmem_cache_alloc_node:",
};

/* Objects in parentheses that start with a bracket and are no kernel module. */
static const char *const user_objects[] = { "[unknown]", "[vdso]",  "[vdso32]", "[vsyscall]",
					    "[heap]",    "[stack]", "[anon]",   "[uprobes]" };

typedef struct {
	ProfileTask task;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	bool allocates;
	const char *call_site; /* as printed; points into the header line */
	size_t call_site_bytes;
} Sample;

typedef struct {
	Profile *profile;
	ImportLines lines;
	Sample sample;
	bool in_sample;
	GString *stack;
	GString *call_site; /* " NAME+0xOFFSET\n": stands for a stack that was not recorded */
	uint64_t unreadable;
} PerfState;

/* "SECONDS.FRACTION:" */
static bool take_time(Cursor *cursor)
{
	Cursor at = *cursor;
	uint64_t number;

	if (!cursor_take_decimal(&at, &number) || !cursor_take(&at, ".") ||
	    !cursor_take_decimal(&at, &number) || !cursor_take(&at, ":"))
		return false;
	*cursor = at;
	return true;
}

/* "PID[/TID] [CPU] TIME:", where the CPU may be missing */
static bool take_place(Cursor *cursor, ProfileTask *task)
{
	Cursor at = *cursor;
	uint64_t pid, tid, number;

	if (!cursor_take_decimal(&at, &pid) || pid > UINT32_MAX)
		return false;
	tid = pid;
	if (cursor_take(&at, "/") && (!cursor_take_decimal(&at, &tid) || tid > UINT32_MAX))
		return false;
	if (!cursor_skip_blanks(&at))
		return false;
	if (cursor_take(&at, "[")) {
		if (!cursor_take_decimal(&at, &number) || !cursor_take(&at, "]"))
			return false;
		cursor_skip_blanks(&at);
	}
	if (!take_time(&at) || !cursor_skip_blanks(&at))
		return false;
	*cursor = at;
	task->tgid = (uint32_t)pid;
	task->tid = (uint32_t)tid;
	task->is_thread_name = tid != pid;
	return true;
}

/* Finds " NAME=" in the fields of an event; what stands behind it is empty when there is none. */
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

static void read_fields(Cursor fields, Sample *sample)
{
	Cursor call_site = field_value(fields, "call_site=");

	cursor_take_word(&call_site, &sample->call_site, &sample->call_site_bytes);
	sample->bytes_requested = field_number(fields, "bytes_req=");
	sample->bytes_allocated = field_number(fields, "bytes_alloc=");
}

static bool take_event(Cursor *cursor, Sample *sample)
{
	const char *word;
	size_t length;
	uint64_t period;
	Cursor at = *cursor;

	/* The period is printed where it was asked for. */
	if (cursor_take_decimal(&at, &period) && cursor_skip_blanks(&at))
		*cursor = at;
	for (size_t i = 0; i < G_N_ELEMENTS(allocation_events); i++) {
		if (cursor_take(cursor, allocation_events[i])) {
			sample->allocates = true;
			return true;
		}
	}
	sample->allocates = false;
	return cursor_take_word(cursor, &word, &length) && length > 1 && word[length - 1] == ':';
}

static void set_comm(ProfileTask *task, const char *comm, size_t length)
{
	length = MIN(import_trimmed(comm, length), (size_t)KMT_COMM_BYTES);
	memcpy(task->comm, comm, length);
	memcpy(task->thread_comm, comm, length);
}

/* The name may hold blanks and brackets: it is what stands before the first place that fits. */
static bool read_header(const char *line, size_t length, Sample *sample)
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

		if (!take_place(&rest, &sample->task) || !take_event(&rest, sample))
			continue;
		set_comm(&sample->task, comm, (size_t)(comm_end - comm));
		read_fields(rest, sample);
		return true;
	}
	return false;
}

static bool text_is(const char *text, size_t length, const char *literal)
{
	return length == strlen(literal) && memcmp(text, literal, length) == 0;
}

static bool text_begins(const char *text, size_t length, const char *literal)
{
	return length >= strlen(literal) && memcmp(text, literal, strlen(literal)) == 0;
}

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz": what older releases print for "[ext4]" */
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

/* Turns the object of a frame into a module's name. Returns false for user space. */
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

/* A frame line, taken apart; all text is borrowed from it. */
typedef struct {
	const char *digits;
	unsigned digit_count;
	const char *symbol;
	size_t symbol_bytes;
	const char *object;
	size_t object_bytes;
} PerfFrame;

/* "ADDRESS SYMBOL+0xOFFSET (OBJECT)"; the symbol may hold blanks and parentheses. */
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

/* Whether a frame without a module is the kernel's: where its address can be told by itself. */
static bool is_kernel_address(const PerfFrame *frame)
{
	return frame->digit_count == 16 && g_ascii_xdigit_value(*frame->digits) >= 8 &&
	       (text_is(frame->object, frame->object_bytes, "[unknown]") ||
		text_is(frame->object, frame->object_bytes, "inlined"));
}

/* Appends " 0xADDRESS : SYMBOL+0xOFFSET [MODULE]", or nothing for a frame of user space. */
static void append_frame(GString *stack, PerfFrame frame)
{
	bool named = !text_is(frame.symbol, frame.symbol_bytes, "[unknown]");
	bool has_module = module_of_object(&frame.object, &frame.object_bytes);

	if (!has_module && !is_kernel_address(&frame))
		return;
	if (stack->len + frame.symbol_bytes + frame.object_bytes > STACK_BYTES_MAX)
		return;
	g_string_append(stack, " 0x");
	g_string_append_len(stack, frame.digits, frame.digit_count);
	if (named) {
		g_string_append(stack, " : ");
		g_string_append_len(stack, frame.symbol, (gssize)frame.symbol_bytes);
	}
	if (named && has_module) {
		g_string_append(stack, " [");
		g_string_append_len(stack, frame.object, (gssize)frame.object_bytes);
		g_string_append_c(stack, ']');
	}
	g_string_append_c(stack, '\n');
}

static bool read_frame(GString *stack, const char *line, size_t length)
{
	PerfFrame frame;

	if (!split_frame(line, length, &frame))
		return false;
	append_frame(stack, frame);
	return true;
}

/* Whether a sample without a stack is an inner event of a large kmalloc. */
static bool is_inner(const PerfState *state)
{
	const GString *call_site = state->call_site;

	if (state->stack->len || !call_site->len ||
	    state->sample.bytes_requested <= SMALL_BYTES_MAX)
		return false;
	return inner_kmallocs_have_function(
		(TextPart){ call_site->str + 1, strcspn(call_site->str + 1, "+\n") });
}

static void end_sample(PerfState *state)
{
	const Sample *sample = &state->sample;
	const GString *stack = state->stack->len > 0 ? state->stack : state->call_site;

	if (state->in_sample && sample->allocates && !is_inner(state))
		import_count(state->profile, &(ProfileText){
						     .text = stack->str,
						     .length = (uint32_t)stack->len,
						     .weight = 1,
						     .task = &sample->task,
						     .bytes_requested = sample->bytes_requested,
						     .bytes_allocated = sample->bytes_allocated,
					     });
	state->in_sample = false;
	g_string_truncate(state->stack, 0);
}

static bool begin_sample(PerfState *state, const char *line, size_t length)
{
	Sample *sample = &state->sample;

	if (!read_header(line, length, sample))
		return false;
	g_string_truncate(state->call_site, 0);
	if (sample->call_site_bytes > 0) {
		g_string_append_c(state->call_site, ' ');
		g_string_append_len(state->call_site, sample->call_site,
				    (gssize)sample->call_site_bytes);
		g_string_append_c(state->call_site, '\n');
	}
	sample->call_site = NULL;
	return true;
}

static void read_line(void *data, const char *line, size_t length)
{
	PerfState *state = data;

	if (length == 0) {
		end_sample(state);
		return;
	}
	if (state->in_sample && read_frame(state->stack, line, length))
		return;
	/* `perf script --header` begins with comment lines. */
	if (line[0] == '#')
		return;
	end_sample(state);
	state->in_sample = begin_sample(state, line, length);
	if (!state->in_sample)
		state->unreadable++;
}

static void *perf_begin(Profile *profile)
{
	PerfState *state = g_new0(PerfState, 1);

	state->profile = profile;
	state->stack = g_string_new(NULL);
	state->call_site = g_string_new(NULL);
	import_lines_init(&state->lines, read_line, state);
	return state;
}

static void perf_feed(void *data, const char *text, size_t length)
{
	PerfState *state = data;

	import_lines_feed(&state->lines, text, length);
}

static uint64_t perf_finish(void *data)
{
	g_autofree PerfState *state = data;

	import_lines_finish(&state->lines);
	end_sample(state);
	g_string_free(state->stack, TRUE);
	g_string_free(state->call_site, TRUE);
	return state->unreadable + state->lines.too_long;
}

/* The header line of one allocation sample is like nothing else. */
static bool perf_recognises(const char *text, size_t length)
{
	const char *end = text + length;

	if (memchr(text, '\0', length))
		return false;
	for (const char *at = text, *newline; at < end; at = newline + 1) {
		Sample sample;

		newline = import_line_end(at, end);
		if (!newline)
			newline = end;
		if (*at != '\t' &&
		    read_header(at, import_trimmed(at, (size_t)(newline - at)), &sample) &&
		    sample.allocates)
			return true;
		if (newline == end)
			break;
	}
	return false;
}

const ImportType import_perf_script = {
	.name = "the output of perf script",
	.is_silent_of_loss = true,
	.recognises = perf_recognises,
	.begin = perf_begin,
	.feed = perf_feed,
	.finish = perf_finish,
};
