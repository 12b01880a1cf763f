/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "import/import.h"
#include "import/import_count.h"
#include "import/import_text.h"
#include "import/import_types.h"
#include "record/probe_kinds.h"
#include "symbols/inner_kmallocs_find.h"

#include <string.h>

/*
 * The output of `perf script` for kmem samples:
 *
 *	find 22899 [000]  1341.391415: kmem:kmalloc: call_site=... bytes_req=32 bytes_alloc=32 ...
 *		ffffffff813cee01 __x64_sys_sched_setaffinity+0x61 ([kernel.kallsyms])
 *
 * Kernel frames are converted to our format. Frames of user space are left out: the report shows
 * paths in the kernel, and user frames differ between processes. Samples of other events are
 * skipped. The run lasts from the first to the last sample of any event.
 *
 * Frees are only needed to pair them with their allocations. perf script sorts samples by time, so
 * there is nothing to wait for but a little disorder.
 */

enum {
	STACK_BYTES_MAX = 256 * 1024,
	SMALL_BYTES_MAX = 8192, /* largest kmalloc from a slab cache, with the smallest pages */
	PAGE_BYTES = 4096,      /* the text does not contain it */
	PAGE_ORDER_MAX = 20,
	NS_PER_S = 1000000000,
	DISORDER_NS_MAX = NS_PER_S,       /* an event may be this much earlier than one before it */
	RELEASE_NS = DISORDER_NS_MAX / 4, /* how often events are released for pairing */
};

/* The samples that are read: of these tracepoints. */
#define KMEM_GROUP "kmem"

/* The flags that determine the kmalloc class, as our own bits, because the bits differ between
   kernels. */
enum { GFP_BIT_DMA = 1, GFP_BIT_RECLAIMABLE = 2, GFP_BIT_ACCOUNT = 4 };
static const struct {
	const char *word;
	uint32_t bit;
} gfp_words[] = {
	{ "GFP_DMA", GFP_BIT_DMA },
	{ "__GFP_DMA", GFP_BIT_DMA },
	{ "__GFP_RECLAIMABLE", GFP_BIT_RECLAIMABLE },
};

/* Lines of `perf script --header` that the report of a run shows. */
static const struct {
	const char *label;
	enum KmtFieldId id;
} header_lines[] = {
	{ "# hostname : ", KMT_FIELD_HOST },
	{ "# os release : ", KMT_FIELD_RELEASE },
	{ "# arch : ", KMT_FIELD_ARCH },
	{ "# nrcpus online : ", KMT_FIELD_CPUS_ONLINE },
	{ "# cmdline : ", KMT_FIELD_COMMAND_LINE },
};

/* Objects in brackets that are not kernel modules. */
static const char *const user_objects[] = { "[unknown]", "[vdso]",  "[vdso32]", "[vsyscall]",
					    "[heap]",    "[stack]", "[anon]",   "[uprobes]" };

/* Frees of slab objects that the tracepoints of kmem do not show. */
static const char never_seen[] = "kfree_rcu, kmem_cache_free_bulk (no tracepoint)";

typedef struct {
	EventTask task;
	bool has_task;    /* false: unknown */
	EventCache cache; /* without a name if the event lacks it */
	uint64_t time_ns;
	uint64_t period; /* number of events that it stands for */
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint64_t pointer;   /* 0: unknown */
	uint32_t gfp_flags; /* GFP_BIT_… */
	uint32_t cpu;
	const ProbePoint *point; /* NULL: not an event of an allocator */
	const char *call_site;   /* as printed; points into the header line */
	size_t call_site_bytes;
} Sample;

typedef struct {
	Session *session;
	ImportLines lines;
	Sample sample;
	uint64_t first_ns; /* of the samples; 0: none so far */
	uint64_t last_ns;
	uint64_t printed_ns;  /* time of the previous sample, as printed */
	uint64_t given_ns;    /* ... and as passed on */
	uint64_t released_ns; /* all samples before this time were released for pairing */
	unsigned events;      /* observed: bits of ProbeKindBit */
	unsigned frees;       /* observed: bits by number in free_points() */
	bool is_sampled;      /* samples stand for several events */
	bool is_unsorted;
	bool in_sample;
	GString *stack;
	GString *call_site; /* " NAME+0xOFFSET\n": used if no stack was recorded */
	uint64_t unreadable;
} PerfState;

/* Returns the nanoseconds of the digits after the decimal point. */
static uint64_t fraction_ns(const char *digits, const char *end)
{
	uint64_t ns = 0, worth = NS_PER_S / 10;

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

	if (!cursor_take_decimal(&at, &seconds) || seconds > INT64_MAX / NS_PER_S - 1 ||
	    !cursor_take(&at, "."))
		return false;
	fraction = at.at;
	if (!cursor_take_decimal(&at, &number))
		return false;
	*time_ns = seconds * NS_PER_S + fraction_ns(fraction, at.at);
	if (!cursor_take(&at, ":"))
		return false;
	*cursor = at;
	return true;
}

/* "PID[/TID]"; -1: of a task that has just ended. */
static bool take_task(Cursor *cursor, Sample *sample)
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
static bool take_place(Cursor *cursor, Sample *sample)
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

static bool word_is(const char *word, size_t length, const char *literal)
{
	return length == strlen(literal) && memcmp(word, literal, length) == 0;
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
			if (word_is(word, word_bytes, gfp_words[i].word))
				bits |= gfp_words[i].bit;
		if (!end)
			break;
		length -= word_bytes + 1;
	}
	return bits;
}

/* Newer kernels report the cache of an object. */
static void read_cache(Cursor fields, Sample *sample)
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

/* "pfn=0x1f0b8 order=0". Pages are identified by page number × page bytes. */
static void read_pages(Cursor fields, Sample *sample)
{
	uint64_t order = field_number(fields, "order=");

	sample->pointer = field_address(fields, "pfn=") * PAGE_BYTES;
	sample->bytes_requested = sample->bytes_allocated = (uint64_t)PAGE_BYTES
							    << MIN(order, PAGE_ORDER_MAX);
}

static void read_fields(Cursor fields, Sample *sample)
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
	if (sample->point && sample->point->source == KMT_SOURCE_PAGE)
		read_pages(fields, sample);
	else
		sample->pointer = field_address(fields, "ptr=");
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

static bool take_event(Cursor *cursor, Sample *sample)
{
	const char *word;
	size_t length;
	uint64_t period;
	Cursor at = *cursor;

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

static void set_comm(EventTask *task, const char *comm, size_t length)
{
	memcpy(task->comm, comm, MIN(import_trimmed(comm, length), (size_t)KMT_COMM_BYTES));
}

/* The name may contain blanks and brackets. It ends before the first text that matches the rest. */
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

		if (!take_place(&rest, sample) || !take_event(&rest, sample))
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
static void append_frame(GString *stack, PerfFrame frame)
{
	enum { BETWEEN_BYTES_MAX = 16 }; /* length of the separators */
	bool named = !text_is(frame.symbol, frame.symbol_bytes, "[unknown]");
	bool has_module = module_of_object(&frame.object, &frame.object_bytes);
	gsize start = stack->len;
	char *at;

	if (!has_module && !is_kernel_address(&frame))
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

static bool read_frame(GString *stack, const char *line, size_t length)
{
	PerfFrame frame;

	if (!split_frame(line, length, &frame))
		return false;
	append_frame(stack, frame);
	return true;
}

/* Whether a sample is an inner event of a large kmalloc, by its stack or, without one, by its call
   site. */
static bool is_inner(const PerfState *state)
{
	const GString *call_site = state->call_site;

	if (state->stack->len)
		return import_is_inner(state->stack->str, state->stack->len);
	if (!call_site->len || state->sample.bytes_requested <= SMALL_BYTES_MAX)
		return false;
	return inner_kmallocs_have_function(
		(TextPart){ call_site->str + 1, strcspn(call_site->str + 1, "+\n") });
}

static const ProbePoint *free_points(void)
{
	const ProbeKind *kind = probe_kinds;

	while (kind->bit != PROBE_FREE)
		kind++;
	return kind->points;
}

/* Records which kinds of events were observed, as far as the text shows them. */
static void note_point(PerfState *state, const ProbePoint *point)
{
	unsigned bit = KMT_EVENTS_OF(point->source);
	g_autofree char *names = NULL;

	if (point->is_free) {
		state->frees |= 1U << (point - free_points());
		return;
	}
	if (state->events & bit)
		return;
	state->events |= bit;
	names = probe_kinds_names(state->events);
	run_info_set_text(state->session->info, KMT_FIELD_EVENTS, names, strlen(names));
}

/* The first sample begins the run. In a text that is not sorted by time, earlier samples count at
   the run's start. Times are printed in microseconds: equal ones become different, so that the
   events of all CPUs keep their order. */
static void note_time(PerfState *state, Sample *sample)
{
	uint64_t printed_ns = sample->time_ns;

	if (!state->first_ns) {
		state->first_ns = MAX(sample->time_ns, 1);
		session_set_number(state->session, KMT_FIELD_RUN_START_NS, state->first_ns);
		session_set_number(state->session, KMT_FIELD_WINDOW_START_NS, state->first_ns);
	}
	state->is_unsorted |= printed_ns + DISORDER_NS_MAX < state->last_ns;
	sample->time_ns = MAX(sample->time_ns, state->first_ns);
	if (printed_ns == state->printed_ns)
		sample->time_ns = MAX(sample->time_ns, state->given_ns + 1);
	state->printed_ns = printed_ns;
	state->given_ns = sample->time_ns;
	state->last_ns = MAX(state->last_ns, sample->time_ns);
}

/* Memory for events that wait would not last for a whole file. */
static void release(PerfState *state)
{
	if (state->last_ns < state->released_ns + DISORDER_NS_MAX + RELEASE_NS)
		return;
	state->released_ns = state->last_ns - DISORDER_NS_MAX;
	session_release(state->session, state->released_ns);
}

static void take_sample(PerfState *state)
{
	const Sample *sample = &state->sample;
	const GString *stack = state->stack->len > 0 ? state->stack : state->call_site;

	session_take_text(state->session,
			  &(EventText){
				  .text = stack->str,
				  .length = (uint32_t)stack->len,
				  .weight = sample->period,
				  .task = sample->has_task ? &sample->task : NULL,
				  .cache = sample->cache.name_bytes ? &sample->cache : NULL,
				  .bytes_requested = sample->bytes_requested,
				  .bytes_allocated = sample->bytes_allocated,
				  .time_ns = sample->time_ns,
				  .pointer = sample->pointer,
				  .cpu = sample->cpu,
				  .gfp_flags = sample->gfp_flags,
				  .source = sample->point->source,
				  .kind = sample->point->kind,
				  .free = sample->point->is_free,
			  });
	state->is_sampled |= sample->period > 1;
	release(state);
}

/* Frees are only counted if they are paired. */
static bool is_wanted(const PerfState *state)
{
	const ProbePoint *point = state->sample.point;

	return point && (point->is_free ? state->session->pairing != NULL : !is_inner(state));
}

static void end_sample(PerfState *state)
{
	if (state->in_sample && is_wanted(state))
		take_sample(state);
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
	note_time(state, sample);
	if (sample->point)
		note_point(state, sample->point);
	return true;
}

/* `perf script --header` begins with comment lines. */
static void read_comment(PerfState *state, const char *line, size_t length)
{
	for (size_t i = 0; i < G_N_ELEMENTS(header_lines); i++) {
		enum KmtFieldId id = header_lines[i].id;
		Cursor at = cursor_over(line, length);
		uint64_t number;

		if (!cursor_take(&at, header_lines[i].label))
			continue;
		if (!run_info_is_number((uint16_t)id))
			run_info_set_text(state->session->info, id, at.at,
					  (size_t)(at.end - at.at));
		else if (cursor_take_decimal(&at, &number))
			session_set_number(state->session, id, number);
	}
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
	if (line[0] == '#') {
		read_comment(state, line, length);
		return;
	}
	end_sample(state);
	state->in_sample = begin_sample(state, line, length);
	if (!state->in_sample)
		state->unreadable++;
}

static void *perf_begin(Session *session)
{
	static const char collector[] = "perf record";
	PerfState *state = g_new0(PerfState, 1);

	state->session = session;
	run_info_set_text(session->info, KMT_FIELD_COLLECTOR, collector, strlen(collector));
	session_set_number(session, KMT_FIELD_GFP_DMA, GFP_BIT_DMA);
	session_set_number(session, KMT_FIELD_GFP_RECLAIMABLE, GFP_BIT_RECLAIMABLE);
	session_set_number(session, KMT_FIELD_GFP_ACCOUNT, GFP_BIT_ACCOUNT);
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

/* Returns why the events cannot be paired, or NULL. The caller frees the text. */
static char *why_not_paired(const PerfState *state)
{
	if (state->is_sampled)
		return g_strdup("its samples stand for several events: record all, with perf "
				"record -c 1");
	if (state->is_unsorted)
		return g_strdup("its events are not in the order of their times, as perf script "
				"prints those of one file");
	for (unsigned i = 0; free_points()[i].name; i++) {
		const ProbePoint *point = &free_points()[i];

		if (state->events & KMT_EVENTS_OF(point->source) && !(state->frees >> i & 1))
			return g_strdup_printf("it does not have all frees: record %s:%s, too",
					       point->group, point->name);
	}
	return NULL;
}

static void set_text(Session *session, enum KmtFieldId id, const char *text)
{
	run_info_set_text(session->info, id, text, strlen(text));
}

/* Says whether and how far the events can be paired. */
static void note_pairing(PerfState *state)
{
	Session *session = state->session;
	g_autoptr(GString) seen = g_string_new(NULL);

	if (!session->pairing)
		return;
	session->cannot_pair = why_not_paired(state);
	if (session->cannot_pair)
		return;
	for (unsigned i = 0; free_points()[i].name; i++)
		if (state->frees >> i & 1)
			g_string_append_printf(seen, "%s%s", seen->len ? "," : "",
					       free_points()[i].name);
	session_set_number(session, KMT_FIELD_HELD, 1);
	set_text(session, KMT_FIELD_FREES_SEEN_BY, seen->str);
	if (state->events & probe_kinds_of_caches())
		set_text(session, KMT_FIELD_FREES_NOT_SEEN, never_seen);
}

static uint64_t perf_finish(void *data)
{
	g_autofree PerfState *state = data;

	import_lines_finish(&state->lines);
	end_sample(state);
	if (state->first_ns)
		session_set_number(state->session, KMT_FIELD_RUN_END_NS, state->last_ns);
	note_pairing(state);
	g_string_free(state->stack, TRUE);
	g_string_free(state->call_site, TRUE);
	return state->unreadable + state->lines.too_long;
}

/* The header line of one sample of an allocator is unique enough. */
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
		    sample.point)
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
