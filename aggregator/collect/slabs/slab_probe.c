/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kprobe at the end of slabs: its definition, its fields, and the conversion of its records.
 * perf_run.c opens it with a ring of its own; perf_names.c reads the records.
 */
#include "collect/slabs/slab_probe.h"

#include "collect/tracefs/kmem_points.h"
#include "collect/tracefs/tracepoint_format.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib.h>
#include <string.h>

/*
 * Compares the kernel's count of a probe's hits with the records that were read. A few numbers, no
 * table; perf_names.c begins and ends each comparison.
 */

/* A single difference may include records that are still being written. */
enum { CHECKS = 3 };

void slab_hits_reset(SlabHits *hits)
{
	hits->never_read = UINT64_MAX;
	hits->checks_left = CHECKS;
}

void slab_hits_begin(SlabHits *hits, uint64_t now_ns)
{
	hits->began_ns = now_ns;
}

void slab_hits_read(SlabHits *hits, uint64_t record_ns)
{
	if (record_ns <= hits->began_ns)
		hits->read++;
	else
		hits->read_later++;
}

SlabHitsState slab_hits_end(SlabHits *hits, const KprobeCounts *counts)
{
	uint64_t not_read = counts->hits - hits->read;
	bool is_missed = hits->missed != counts->missed;

	hits->read += hits->read_later;
	hits->read_later = 0;
	hits->missed = counts->missed;
	hits->never_read = MIN(hits->never_read, not_read);
	if (hits->checks_left)
		return --hits->checks_left ? SLAB_HITS_PENDING : SLAB_HITS_ANEW;
	if (is_missed)
		return SLAB_HITS_MISSED;
	return not_read == hits->never_read ? SLAB_HITS_READ : SLAB_HITS_PENDING;
}

/* The fields that the probe records, and where they go. */
typedef enum { FIELD_CACHE, FIELD_SLAB, FIELD_COUNTERS, FIELD_OBJECT, FIELD_SLOT, FIELDS } Field;

static const char *const field_names[FIELDS] = {
	[FIELD_CACHE] = "cache",   [FIELD_SLAB] = "slab", [FIELD_COUNTERS] = "counters",
	[FIELD_OBJECT] = "object", [FIELD_SLOT] = "slot",
};

struct SlabProbe {
	TracepointFormat *format; /* owned */
	const TracepointField *fields[FIELDS];
	const TracepointField *name;
};

const char *slab_probe_problem(const char *root, const char *machine)
{
	if (strcmp(machine, "x86_64"))
		return "not possible on this architecture";
	if (!(kprobe_functions_there(root) >> KPROBE_FREE_SLAB & 1))
		return "this kernel has no function __free_slab()";
	return NULL;
}

/* Its arguments are the cache and the struct slab, or struct page before 5.17. */
char *slab_probe_arguments(const KprobeRegisters *registers, const CacheLayout *layout)
{
	const char *cache = registers->arguments[0], *slab = registers->arguments[1];

	return g_strdup_printf("cache=%s:u64 slab=%s:u64 counters=+%ld(%s):u64 "
			       "object=+%ld(%s):u32 slot=+%ld(%s):u32 name=+0(+%ld(%s)):string",
			       cache, slab, layout->counters, slab, layout->object_size, cache,
			       layout->size, cache, layout->name, cache);
}

SlabProbe *slab_probe_of(TracepointFormat *format)
{
	g_autoptr(SlabProbe) probe = g_new0(SlabProbe, 1);

	probe->format = format;
	probe->name = tracepoint_format_lookup(format, "name");
	for (unsigned i = 0; i < FIELDS; i++) {
		probe->fields[i] = tracepoint_format_lookup(format, field_names[i]);
		if (!probe->fields[i])
			return NULL;
	}
	return probe->name ? g_steal_pointer(&probe) : NULL;
}

SlabProbe *slab_probe_new(KprobeGroup *group, const CacheLayout *layout, GError **error)
{
	g_autofree char *arguments = slab_probe_arguments(kprobe_registers("x86_64"), layout);
	int problem = kprobe_group_define(group, "p", KPROBE_FREE_SLAB, arguments);
	TracepointFormat *format =
		problem ? NULL : kprobe_group_read_format(group, KPROBE_FREE_SLAB);
	SlabProbe *probe = format ? slab_probe_of(format) : NULL;
	KprobeCounts counts;

	if (probe && !kprobe_group_count(group, 1U << KPROBE_FREE_SLAB, &counts)) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
				    "the kernel does not show how often its probes are hit");
		g_clear_pointer(&probe, slab_probe_free);
	} else if (!probe)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s",
			    kprobe_refusal(problem ? problem : EINVAL),
			    g_strerror(problem ? problem : EINVAL));
	return probe;
}

void slab_probe_free(SlabProbe *probe)
{
	if (!probe)
		return;
	tracepoint_format_free(probe->format);
	g_free(probe);
}

uint16_t slab_probe_id(const SlabProbe *probe)
{
	return probe->format->id;
}

bool slab_probe_read(const SlabProbe *probe, const uint8_t *raw, uint32_t raw_bytes, SlabFree *end)
{
	uint64_t values[FIELDS];
	uint32_t length;
	const char *name;

	for (unsigned i = 0; i < FIELDS; i++)
		if (!tracepoint_field_number(probe->fields[i], raw, raw_bytes, &values[i]))
			return false;
	*end = (SlabFree){ .slab = values[FIELD_SLAB],
			   .cache_address = values[FIELD_CACHE],
			   .counters = values[FIELD_COUNTERS],
			   .object_bytes = (uint32_t)values[FIELD_OBJECT],
			   .slot_bytes = (uint32_t)values[FIELD_SLOT] };
	name = tracepoint_field_text(probe->name, raw, raw_bytes, &length);
	return name && kmem_cache_named(&end->name, name, length);
}
