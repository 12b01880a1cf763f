/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the format files of the allocators' tracepoints and resolves their fields once, by const
 * tables of the names that kernels have given them; then converts raw records into facts, without a
 * lookup. perf_read.c calls it for each sample. Points of kprobes are made here, too, for
 * slab_probes.c.
 */
#include "config.h"

#include "collect/tracefs/kmem_points.h"

#include "base/cpu_list.h"
#include "base/text_part.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

enum {
	/* In common_flags: TRACE_FLAG_* of the kernel. */
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
	FLAG_NMI = 0x40,
	ZERO_SIZE_POINTER = 16, /* result of an allocation of zero bytes */
	PAGE_ORDER_MAX = 30,    /* kernels support up to 10 to 13 */
};

#define BIT(member) (1U << (member))

/* The kernel's names of the fields: the newest first, then those of other kernels and groups. */
enum { NAMES_MAX = 4 };
static const char *const members[PROBE_MEMBERS][NAMES_MAX] = {
	[PROBE_COMMON_FLAGS] = { "common_flags" },
	[PROBE_CALL_SITE] = { "call_site", "__probe_ret_ip" }, /* of a kretprobe */
	[PROBE_POINTER] = { "ptr", "page", "addr", "va_start" },
	[PROBE_PAGE_NUMBER] = { "pfn" },
	[PROBE_BYTES_REQUESTED] = { "bytes_req", "size" },
	[PROBE_BYTES_ALLOCATED] = { "bytes_alloc" },
	[PROBE_PAGE_ORDER] = { "order" },
	[PROBE_GFP_FLAGS] = { "gfp_flags" },
	[PROBE_NODE] = { "node" },
};

void kmem_point_free(void *data)
{
	KmemPoint *point = data;

	tracepoint_format_free(point->format);
	g_free(point);
}

static void resolve_members(KmemPoint *point)
{
	for (unsigned i = 0; i < PROBE_MEMBERS; i++) {
		const TracepointField *field = NULL;

		for (unsigned j = 0; j < NAMES_MAX && members[i][j] && !field; j++)
			field = tracepoint_format_lookup(point->format, members[i][j]);
		if (!field || !field->is_number)
			continue;
		point->fields[i] = field;
		point->raw_bytes_min =
			MAX(point->raw_bytes_min, (uint32_t)field->offset + field->size);
	}
}

static KmemPoint *point_new(const ProbePoint *type, TracepointFormat *format)
{
	KmemPoint *point = g_new0(KmemPoint, 1);
	const TracepointField *name = tracepoint_format_lookup(format, "name");
	g_autoptr(GArray) possible = cpu_list_read("", "possible");

	point->type = type;
	point->id = format->id;
	point->format = format;
	point->cpus_possible = possible ? possible->len : 1;
	point->page_shift = (unsigned)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	point->failed = tracepoint_format_lookup(format, "failed");
	resolve_members(point);
	if (name && name->is_text)
		point->cache_name = name;
	return point;
}

KmemPoint *kmem_point_new_kprobe(const ProbePoint *type, TracepointFormat *format)
{
	KmemPoint *point = point_new(type, format);

	point->is_kprobe = true;
	point->head = tracepoint_format_lookup(format, "head");
	point->count = tracepoint_format_lookup(format, "count");
	point->done = tracepoint_format_lookup(format, "done");
	point->pointers = tracepoint_format_lookup(format, "pointers");
	return point;
}

void kmem_points_add(GPtrArray *points, KmemPoint *point)
{
	point->number = points->len;
	g_ptr_array_add(points, point);
}

static void set_missing(const ProbeKind *kind, const ProbePoint *type, int cause, GError **error)
{
	if (cause == ENOENT)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
			    "this kernel has no tracepoint %s:%s: leave %s out of --events",
			    type->group, type->name, kind->name);
	else
		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(cause),
			    "the tracepoint %s:%s cannot be read (%s): leave %s out of --events",
			    type->group, type->name, g_strerror(cause), kind->name);
}

bool kmem_points_are_there(const char *kmem_folder, unsigned events, GError **error)
{
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		for (const ProbePoint *point = kind->points; point->name; point++) {
			g_autofree char *path = g_build_filename(kmem_folder, "..", point->group,
								 point->name, NULL);

			if (point->is_optional || g_file_test(path, G_FILE_TEST_IS_DIR) ||
			    !probe_point_is_observed(kind, point, events, false))
				continue;
			set_missing(kind, point, ENOENT, error);
			return false;
		}
	return true;
}

static bool open_point(GPtrArray *points, int folder_fd, const ProbeKind *kind,
		       const ProbePoint *type, GError **error)
{
	/* One byte more than allowed, to detect a longer file. */
	const size_t text_bytes = TRACEPOINT_FORMAT_BYTES_MAX + 1;
	g_autofree char *text = g_malloc(text_bytes);
	g_autofree char *path = g_strdup_printf("../%s/%s", type->group, type->name);
	ssize_t length = tracepoint_format_read(folder_fd, path, text, text_bytes);
	TracepointFormat *format;
	KmemPoint *point;

	if (length == -ENOENT && type->is_optional)
		return true;
	if (length < 0) {
		set_missing(kind, type, (int)-length, error);
		return false;
	}
	format = tracepoint_format_parse(text, (size_t)length, error);
	if (!format) {
		g_prefix_error(error, "%s:%s: ", type->group, type->name);
		return false;
	}
	point = point_new(type, format);
	point->event = kind->bit;
	kmem_points_add(points, point);
	return true;
}

GPtrArray *kmem_points_open(int kmem_folder_fd, unsigned events, bool held, GError **error)
{
	g_autoptr(GPtrArray) points = g_ptr_array_new_with_free_func(kmem_point_free);

	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		for (const ProbePoint *type = kind->points; type->name; type++)
			if (probe_point_is_observed(kind, type, events, held) &&
			    !open_point(points, kmem_folder_fd, kind, type, error))
				return NULL;
	return g_steal_pointer(&points);
}

bool kmem_points_lack_caches(const GPtrArray *points)
{
	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (point->event == PROBE_CACHE && !point->cache_name)
			return true;
	}
	return false;
}

/* A pointer that is not recorded must not look like a failed allocation. */
#define NOT_KNOWN UINT64_MAX

/* A record of at least raw_bytes_min has every field of the point. */
static uint64_t kmem_points_member(const KmemPoint *point, ProbeMember which, const uint8_t *raw,
				   uint32_t raw_bytes, uint64_t absent)
{
	const TracepointField *field = point->fields[which];
	uint64_t value;

	g_assert(which < G_N_ELEMENTS(point->fields));
	return field && tracepoint_field_number(field, raw, raw_bytes, &value) ? value : absent;
}

static uint8_t context_of(uint64_t flags)
{
	if (flags & FLAG_HARDIRQ)
		return KMT_CONTEXT_HARDIRQ;
	return flags & FLAG_SOFTIRQ ? KMT_CONTEXT_SOFTIRQ : KMT_CONTEXT_TASK;
}

/* A kprobe that is a breakpoint appears to be in an NMI, and an NMI appears to be in a hardirq.
   Real NMIs do not allocate. */
uint8_t kmem_context_of_probe(uint64_t common_flags)
{
	return context_of(common_flags & FLAG_NMI ? common_flags & ~(uint64_t)FLAG_HARDIRQ
						  : common_flags);
}

static uint8_t context_in(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes)
{
	uint64_t flags = kmem_points_member(point, PROBE_COMMON_FLAGS, raw, raw_bytes, 0);

	return point->is_kprobe ? kmem_context_of_probe(flags) : context_of(flags);
}

/* The page number of a failed allocation is all ones. */
static uint64_t page_pointer(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes)
{
	const TracepointField *field = point->fields[PROBE_PAGE_NUMBER];
	uint64_t none, number = 0;

	if (!field || !tracepoint_field_number(field, raw, raw_bytes, &number))
		return kmem_points_member(point, PROBE_POINTER, raw, raw_bytes, NOT_KNOWN);
	none = UINT64_MAX >> (64 - 8 * field->size);
	return number == none || number == UINT64_MAX ? 0 : number << point->page_shift;
}

bool kmem_cache_named(EventCache *cache, const char *name, uint32_t length)
{
	TextPart text = { name, length };

	if (!length)
		return false;
	/* The kernel could not read it. */
	if (*name == '(' && (text_part_is(text, "(fault)") || text_part_is(text, "(null)")))
		return false;
	cache->object_bytes = cache->slot_bytes = 0;
	cache->name_bytes = (uint16_t)MIN(length, sizeof(cache->name));
	memcpy(cache->name, name, cache->name_bytes);
	return true;
}

static void read_name(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
		      EventFacts *facts, EventCache *cache)
{
	uint32_t length;
	const char *name = tracepoint_field_text(point->cache_name, raw, raw_bytes, &length);

	if (name && kmem_cache_named(cache, name, length))
		facts->cache = cache;
}

static bool read_page(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
		      EventFacts *facts)
{
	facts->pointer = page_pointer(point, raw, raw_bytes);
	if (point->fields[PROBE_PAGE_ORDER]) {
		uint64_t order = kmem_points_member(point, PROBE_PAGE_ORDER, raw, raw_bytes, 0);

		if (order > PAGE_ORDER_MAX)
			return false;
		facts->bytes_requested = 1ULL << point->page_shift << order;
		facts->bytes_allocated = facts->free ? 0 : facts->bytes_requested;
	}
	return true;
}

/*
 * Returns the object that kvfree_call_rcu() was called with. Up to 6.1, the second argument is the
 * offset of the rcu_head in the object, unless there is no rcu_head.
 */
static uint64_t read_head(const KmemPoint *point, uint64_t pointer, const uint8_t *raw,
			  uint32_t raw_bytes)
{
	enum { OFFSETS_MAX = 4096 }; /* __is_kvfree_rcu_offset() */
	uint64_t head;

	if (pointer >= OFFSETS_MAX ||
	    !tracepoint_field_number(point->head, raw, raw_bytes, &head) || !head)
		return pointer;
	return head - pointer;
}

static void read_object(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
			EventFacts *facts)
{
	facts->pointer = kmem_points_member(point, PROBE_POINTER, raw, raw_bytes, NOT_KNOWN);
	if (point->head)
		facts->pointer = read_head(point, facts->pointer, raw, raw_bytes);
	facts->call_site = kmem_points_member(point, PROBE_CALL_SITE, raw, raw_bytes, 0);
	facts->bytes_requested =
		kmem_points_member(point, PROBE_BYTES_REQUESTED, raw, raw_bytes, 0);
	facts->bytes_allocated =
		kmem_points_member(point, PROBE_BYTES_ALLOCATED, raw, raw_bytes, 0);
}

/* Per-CPU memory is recorded with the size of one copy. A vmalloc range has the size requested, and
   an address even if none was found. */
static void read_range(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
		       EventFacts *facts)
{
	uint64_t failed;

	read_object(point, raw, raw_bytes, facts);
	if (facts->source == KMT_SOURCE_PERCPU)
		facts->bytes_requested *= point->cpus_possible;
	if (!point->fields[PROBE_BYTES_ALLOCATED])
		facts->bytes_allocated = facts->bytes_requested;
	if (point->failed && tracepoint_field_number(point->failed, raw, raw_bytes, &failed) &&
	    failed)
		facts->pointer = 0;
}

bool kmem_point_read(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
		     EventFacts *facts, EventCache *cache)
{
	if (raw_bytes < point->raw_bytes_min)
		return false;
	*facts = (EventFacts){ .source = point->type->source,
			       .kind = point->type->kind,
			       .free = point->type->is_free };
	facts->context = context_in(point, raw, raw_bytes);
	facts->gfp_flags = (uint32_t)kmem_points_member(point, PROBE_GFP_FLAGS, raw, raw_bytes, 0);
	facts->node = (int16_t)kmem_points_member(point, PROBE_NODE, raw, raw_bytes, UINT64_MAX);
	if (facts->source == KMT_SOURCE_PERCPU || facts->source == KMT_SOURCE_VMALLOC)
		read_range(point, raw, raw_bytes, facts);
	else if (!(point->type->members & BIT(PROBE_PAGE_NUMBER)))
		read_object(point, raw, raw_bytes, facts);
	else if (!read_page(point, raw, raw_bytes, facts))
		return false;
	if (point->cache_name)
		read_name(point, raw, raw_bytes, facts, cache);
	return !facts->free || facts->pointer > ZERO_SIZE_POINTER;
}

uint64_t kmem_point_read_pointers(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
				  uint64_t pointers[KMEM_POINTERS_MAX])
{
	uint32_t room = point->pointers->size / sizeof(uint64_t);
	uint64_t count, done;

	if (point->done && (!tracepoint_field_number(point->done, raw, raw_bytes, &done) || !done))
		return 0;
	if (!tracepoint_field_number(point->count, raw, raw_bytes, &count) || (int64_t)count <= 0 ||
	    (uint32_t)point->pointers->offset + point->pointers->size > raw_bytes)
		return 0;
	for (uint64_t i = 0; i < MIN(count, MIN(room, KMEM_POINTERS_MAX)); i++)
		pointers[i] = load_u64(raw + point->pointers->offset + i * sizeof(uint64_t), false);
	return count;
}

static bool is_missing(const KmemPoint *point, ProbeMember which)
{
	g_assert(which < G_N_ELEMENTS(point->fields));
	if (!(point->type->members & BIT(which)) || point->fields[which])
		return false;
	/* Old kernels (RHEL 7) have the address of its struct page instead. */
	return which != PROBE_PAGE_NUMBER || !point->fields[PROBE_POINTER];
}

char *kmem_points_missing(const GPtrArray *points)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];
		bool is_first = true;

		for (unsigned which = 0; which < PROBE_MEMBERS; which++) {
			if (!is_missing(point, which))
				continue;
			if (is_first)
				g_string_append_printf(text, "%s%s: ", text->len ? "; " : "",
						       point->type->name);
			g_string_append_printf(text, "%s%s", is_first ? "" : ", ",
					       members[which][0]);
			is_first = false;
		}
	}
	return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}
