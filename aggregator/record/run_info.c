/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of a stream, in arrays by field id. One table says which field is a number, a text or a
 * list; fields of newer writers are skipped. With --from and --to, the window of the recording
 * and the slice are kept apart, and the slice is applied again after each batch.
 */
#include "record/run_info.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/bytes.h"
#include "base/hot_assert.h"

typedef enum {
	FIELD_UNKNOWN, /* from a newer writer */
	FIELD_NUMBER,
	FIELD_TEXT,
	FIELD_LIST, /* of texts, separated by tabs */
} FieldKind;

static const uint8_t field_kinds[KMT_FIELD_IDS] = {
	[KMT_FIELD_MONOTONIC_NS] = FIELD_NUMBER,
	[KMT_FIELD_REALTIME_NS] = FIELD_NUMBER,
	[KMT_FIELD_RELEASE] = FIELD_TEXT,
	[KMT_FIELD_VERSION] = FIELD_TEXT,
	[KMT_FIELD_HOST] = FIELD_TEXT,
	[KMT_FIELD_ARCH] = FIELD_TEXT,
	[KMT_FIELD_BOOT_ID] = FIELD_TEXT,
	[KMT_FIELD_PAGE_BYTES] = FIELD_NUMBER,
	[KMT_FIELD_CPUS_ONLINE] = FIELD_NUMBER,
	[KMT_FIELD_CPUS_POSSIBLE] = FIELD_NUMBER,
	[KMT_FIELD_TEXT_START] = FIELD_NUMBER,
	[KMT_FIELD_TEXT_END] = FIELD_NUMBER,
	[KMT_FIELD_COLLECTOR] = FIELD_TEXT,
	[KMT_FIELD_PROGRAM] = FIELD_TEXT,
	[KMT_FIELD_COMMAND_LINE] = FIELD_TEXT,
	[KMT_FIELD_EVENTS] = FIELD_TEXT,
	[KMT_FIELD_COVERED] = FIELD_TEXT,
	[KMT_FIELD_NOT_COVERED] = FIELD_TEXT,
	[KMT_FIELD_SCOPE] = FIELD_TEXT,
	[KMT_FIELD_SCOPE_PIDS] = FIELD_TEXT,
	[KMT_FIELD_WITH_INTERRUPTS] = FIELD_NUMBER,
	[KMT_FIELD_STACK_DEPTH] = FIELD_NUMBER,
	[KMT_FIELD_GFP_DMA] = FIELD_NUMBER,
	[KMT_FIELD_GFP_RECLAIMABLE] = FIELD_NUMBER,
	[KMT_FIELD_GFP_ACCOUNT] = FIELD_NUMBER,
	[KMT_FIELD_WINDOW_START_NS] = FIELD_NUMBER,
	[KMT_FIELD_WINDOW_END_NS] = FIELD_NUMBER,
	[KMT_FIELD_COMMAND] = FIELD_TEXT,
	[KMT_FIELD_COMMAND_STATUS] = FIELD_NUMBER,
	[KMT_FIELD_RUN_START_NS] = FIELD_NUMBER,
	[KMT_FIELD_RUN_END_NS] = FIELD_NUMBER,
	[KMT_FIELD_SKIPPED] = FIELD_NUMBER,
	[KMT_FIELD_TRANSPORT_LOST] = FIELD_NUMBER,
	[KMT_FIELD_DAMAGED_BYTES] = FIELD_NUMBER,
	[KMT_FIELD_BOUND] = FIELD_TEXT,
	[KMT_FIELD_ADDRESSES_HIDDEN] = FIELD_NUMBER,
	[KMT_FIELD_BUFFER_BYTES] = FIELD_NUMBER,
	[KMT_FIELD_COMPLETE] = FIELD_NUMBER,
	[KMT_FIELD_SELF_INCLUDED] = FIELD_NUMBER,
	[KMT_FIELD_COUNTED_TO_END] = FIELD_NUMBER,
	[KMT_FIELD_SAMPLING_PERIOD] = FIELD_NUMBER,
	[KMT_FIELD_OVERHEAD_PERCENT_MAX] = FIELD_NUMBER,
	[KMT_FIELD_UNTRACED_NS] = FIELD_NUMBER,
	[KMT_FIELD_UNTRACED_CPUS] = FIELD_TEXT,
	[KMT_FIELD_CLOCK] = FIELD_TEXT,
	[KMT_FIELD_NOT_RECORDED] = FIELD_TEXT,
	[KMT_FIELD_EVENT_COST_NS] = FIELD_NUMBER,
	[KMT_FIELD_FRAME_COST_NS] = FIELD_NUMBER,
	[KMT_FIELD_CACHES_UNKNOWN] = FIELD_TEXT,
	[KMT_FIELD_CACHE_FILTER] = FIELD_LIST,
	[KMT_FIELD_NOT_DELIVERED] = FIELD_NUMBER,
	[KMT_FIELD_LOAD_AVERAGE] = FIELD_TEXT,
	[KMT_FIELD_BPF_BLIND] = FIELD_TEXT,
	[KMT_FIELD_BPF_ATTACHED] = FIELD_TEXT,
	[KMT_FIELD_SAMPLING_SCATTER] = FIELD_NUMBER,
	[KMT_FIELD_HELD] = FIELD_NUMBER,
	[KMT_FIELD_SAMPLED_BY] = FIELD_TEXT,
	[KMT_FIELD_SAMPLE_SEED] = FIELD_NUMBER,
	[KMT_FIELD_FREES_SEEN_BY] = FIELD_TEXT,
	[KMT_FIELD_FREES_NOT_SEEN] = FIELD_TEXT,
	[KMT_FIELD_PROBES_MISSED] = FIELD_NUMBER,
	[KMT_FIELD_WALKS_COMPARED] = FIELD_NUMBER,
	[KMT_FIELD_WALKS_DIFFERENT] = FIELD_NUMBER,
	[KMT_FIELD_KERNEL_WALKS] = FIELD_TEXT,
	[KMT_FIELD_NAMES_COMPARED] = FIELD_NUMBER,
	[KMT_FIELD_NAMES_DIFFERENT] = FIELD_NUMBER,
	[KMT_FIELD_POINTS_TITLE] = FIELD_TEXT,
	[KMT_FIELD_POINTS_NOUN] = FIELD_TEXT,
	[KMT_FIELD_VALUE_NAME] = FIELD_TEXT,
	[KMT_FIELD_VALUE_UNIT] = FIELD_TEXT,
	[KMT_FIELD_COLUMNS] = FIELD_LIST,
	[KMT_FIELD_USER_DEPTH] = FIELD_NUMBER,
	[KMT_FIELD_POINTS_MISSING] = FIELD_TEXT,
	[KMT_FIELD_USER_STACK_BYTES] = FIELD_NUMBER,
	[KMT_FIELD_NOT_UNWOUND] = FIELD_NUMBER,
	[KMT_FIELD_USER_NAMES_MISSING] = FIELD_TEXT,
	[KMT_FIELD_SCATTER_ROWS] = FIELD_TEXT,
	[KMT_FIELD_RANK] = FIELD_TEXT,
	[KMT_FIELD_KEYS] = FIELD_TEXT,
	[KMT_FIELD_TASKS_LOST] = FIELD_NUMBER,
};

bool run_info_is_number(uint16_t id)
{
	return id < KMT_FIELD_IDS && field_kinds[id] == FIELD_NUMBER;
}

RunInfo *run_info_new(void)
{
	RunInfo *info = g_new0(RunInfo, 1);

	info->known = g_new0(bool, KMT_FIELD_IDS);
	info->number = g_new0(uint64_t, KMT_FIELD_IDS);
	info->text = g_new0(char *, KMT_FIELD_IDS);
	return info;
}

void run_info_free(RunInfo *info)
{
	if (!info)
		return;
	for (int id = 0; id < KMT_FIELD_IDS; id++)
		g_free(info->text[id]);
	g_free(info->text);
	g_free(info->number);
	g_free(info->known);
	g_free(info);
}

/* Returns the text as UTF-8 without control characters, except the tabs of a list; stops at a
   NUL. */
static char *text_checked(const uint8_t *value, uint32_t value_bytes, FieldKind kind)
{
	g_autofree char *bounded = g_strndup((const char *)value, value_bytes);
	char *text = g_utf8_make_valid(bounded, -1);

	for (char *at = text; *at; at++)
		if (g_ascii_iscntrl(*at) && !(kind == FIELD_LIST && *at == '\t'))
			*at = '?';
	return text;
}

static void set_number(RunInfo *info, uint16_t id, uint64_t number)
{
	hot_assert(id < KMT_FIELD_IDS);
	info->known[id] = true;
	info->number[id] = number;
}

static void take_text(RunInfo *info, uint16_t id, char *text)
{
	hot_assert(id < KMT_FIELD_IDS);
	info->known[id] = true;
	g_free(info->text[id]);
	info->text[id] = text;
}

/* Reads one record, which lies completely in its batch. */
static void read_field(RunInfo *info, const uint8_t *record, uint32_t record_bytes, bool swapped)
{
	const uint8_t *value = record + sizeof(struct KmtField);
	uint16_t id = load_u16(record + offsetof(struct KmtRecordHead, index), swapped);
	uint32_t value_bytes = load_u32(record + offsetof(struct KmtField, value_bytes), swapped);

	if (id >= KMT_FIELD_IDS || value_bytes > record_bytes - sizeof(struct KmtField))
		return;
	if (field_kinds[id] == FIELD_NUMBER && value_bytes == sizeof(uint64_t))
		set_number(info, id, load_u64(value, swapped));
	else if (field_kinds[id] == FIELD_TEXT || field_kinds[id] == FIELD_LIST)
		take_text(info, id, text_checked(value, value_bytes, field_kinds[id]));
}

static uint64_t sum_bounded(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static RunWindow window_of(const RunInfo *info)
{
	return (RunWindow){
		.start_known = info->known[KMT_FIELD_WINDOW_START_NS],
		.end_known = info->known[KMT_FIELD_WINDOW_END_NS],
		.start_ns = info->number[KMT_FIELD_WINDOW_START_NS],
		.end_ns = info->number[KMT_FIELD_WINDOW_END_NS],
	};
}

static void set_window(RunInfo *info, const RunWindow *window)
{
	info->known[KMT_FIELD_WINDOW_START_NS] = window->start_known;
	info->known[KMT_FIELD_WINDOW_END_NS] = window->end_known;
	info->number[KMT_FIELD_WINDOW_START_NS] = window->start_ns;
	info->number[KMT_FIELD_WINDOW_END_NS] = window->end_ns;
}

uint64_t run_info_start_ns(const RunInfo *info)
{
	RunWindow window = info->sliced ? info->recorded : window_of(info);

	if (window.start_known)
		return window.start_ns == UINT64_MAX ? 0 : window.start_ns;
	return run_info_number(info, KMT_FIELD_RUN_START_NS, info->first_ns);
}

/* Before the start of the run the slice is empty. */
static void apply_slice(RunInfo *info)
{
	uint64_t start_ns = run_info_start_ns(info);
	uint64_t run_end_ns = run_info_number(info, KMT_FIELD_RUN_END_NS, UINT64_MAX);
	uint64_t end_ns = info->recorded.end_known ? info->recorded.end_ns : run_end_ns;
	RunWindow window = { .start_known = true, .start_ns = UINT64_MAX };

	if (start_ns) {
		window.start_ns = sum_bounded(start_ns, info->slice.from_ns);
		end_ns = MIN(end_ns, sum_bounded(start_ns, info->slice.to_ns));
	}
	window.end_known = end_ns != UINT64_MAX;
	window.end_ns = end_ns;
	set_window(info, &window);
}

void run_info_set_slice(RunInfo *info, RunSlice slice)
{
	info->recorded = window_of(info);
	info->slice = slice;
	info->sliced = true;
	apply_slice(info);
}

void run_info_begin_at(RunInfo *info, uint64_t first_ns)
{
	if (!info->sliced || info->first_ns)
		return;
	info->first_ns = first_ns;
	apply_slice(info);
}

/* Stores the stream's window fields separately from the slice. */
static void run_info_unslice(RunInfo *info)
{
	if (info->sliced)
		set_window(info, &info->recorded);
}

static void slice_again(RunInfo *info)
{
	if (!info->sliced)
		return;
	info->recorded = window_of(info);
	apply_slice(info);
}

void run_info_set_number(RunInfo *info, unsigned id, uint64_t number)
{
	hot_assert(id < KMT_FIELD_IDS);
	run_info_unslice(info);
	set_number(info, (uint16_t)id, number);
	slice_again(info);
}

void run_info_set_text(RunInfo *info, unsigned id, const char *text, size_t bytes)
{
	hot_assert(id < KMT_FIELD_IDS);
	take_text(info, (uint16_t)id,
		  text_checked((const uint8_t *)text, (uint32_t)bytes, field_kinds[id]));
}

void run_info_read_batch(RunInfo *info, const Batch *batch)
{
	const uint8_t *at = batch->content;
	const uint8_t *end = at + batch->content_bytes;

	run_info_unslice(info);
	while (end - at >= KMT_RECORD_UNIT_BYTES) {
		uint32_t record_bytes = (uint32_t)at[1] * KMT_RECORD_UNIT_BYTES;

		if (!record_bytes || record_bytes > (size_t)(end - at))
			break;
		if (at[0] == KMT_RECORD_FIELD)
			read_field(info, at, record_bytes, batch->swapped);
		at += record_bytes;
	}
	slice_again(info);
}

uint64_t run_info_number(const RunInfo *info, unsigned id, uint64_t fallback)
{
	return info->known[id] && field_kinds[id] == FIELD_NUMBER ? info->number[id] : fallback;
}

const char *run_info_text(const RunInfo *info, unsigned id)
{
	hot_assert(id < KMT_FIELD_IDS);
	return info->text[id];
}

uint64_t run_info_realtime_ns(const RunInfo *info, uint64_t monotonic_ns)
{
	if (!info->known[KMT_FIELD_MONOTONIC_NS] || !info->known[KMT_FIELD_REALTIME_NS] ||
	    monotonic_ns == UINT64_MAX)
		return 0;
	return info->number[KMT_FIELD_REALTIME_NS] + monotonic_ns -
	       info->number[KMT_FIELD_MONOTONIC_NS];
}
