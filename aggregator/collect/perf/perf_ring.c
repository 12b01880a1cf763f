/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mapped ring of perf: records between tail and head, of which one that wraps is copied. Sizes in
 * the ring are checked. Also plans the sizes of rings. perf_read.c, perf_maps.c and the
 * measurements read rings with it.
 */
#include "collect/perf/perf_ring.h"

#include "base/hot_assert.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	RECORD_BYTES_MAX = 1 << 16, /* the length field of a record has 16 bits */
	GIVE_BACK_BYTES = 64 << 10, /* bytes read before they are returned to the kernel */
};

bool perf_ring_map(PerfRing *ring, int fd, size_t data_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped =
		mmap(NULL, page_bytes + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (mapped == MAP_FAILED)
		return false;
	*ring = (PerfRing){
		.control = mapped,
		.data = (const uint8_t *)mapped + page_bytes,
		.data_bytes = data_bytes,
	};
	return true;
}

void perf_ring_unmap(PerfRing *ring)
{
	if (ring->control)
		munmap(ring->control, (size_t)sysconf(_SC_PAGESIZE) + ring->data_bytes);
	ring->control = NULL;
	g_clear_pointer(&ring->room, g_free);
}

uint64_t perf_ring_head(const PerfRing *ring)
{
	return __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
}

static void give_back(PerfRing *ring, uint64_t tail)
{
	hot_assert(tail >= ring->tail);
	ring->tail = tail;
	__atomic_store_n(&ring->control->data_tail, tail, __ATOMIC_RELEASE);
}

/* Returns the record at that position. A record that wraps at the ring's end is copied. */
static const struct perf_event_header *record_at(PerfRing *ring, uint64_t at)
{
	size_t offset = at & (ring->data_bytes - 1);
	size_t until_end = ring->data_bytes - offset;
	const uint8_t *first = ring->data + offset;
	/* Records are multiples of 8 bytes, so their heads are never split. */
	const struct perf_event_header *record = (const void *)first;

	hot_assert(!(ring->data_bytes & (ring->data_bytes - 1)));
	if (record->size <= until_end)
		return record;
	if (!ring->room)
		ring->room = g_malloc(RECORD_BYTES_MAX);
	memcpy(ring->room, first, until_end);
	memcpy(ring->room + until_end, ring->data, record->size - until_end);
	return (const void *)ring->room;
}

bool perf_ring_read(PerfRing *ring, uint64_t head, PerfRecordVisitor visit, void *user_data)
{
	uint64_t at = ring->tail;

	while (at < head) {
		const struct perf_event_header *record = record_at(ring, at);

		if (record->size < sizeof(*record) || record->size % sizeof(uint64_t) ||
		    record->size > head - at) {
			give_back(ring, head);
			return false;
		}
		visit(record, user_data);
		at += record->size;
		if (at - ring->tail >= GIVE_BACK_BYTES)
			give_back(ring, at);
	}
	give_back(ring, at);
	return true;
}

/* The kernel stores a word for each page of a ring in one block of memory of at most 1024 pages (on
   nearly every kernel). The ring's own struct is in that block, too, so only half of it is left for
   a power of two: 1 GB with pages of 4 KB. */
static uint32_t ring_megabytes_max(void)
{
	enum { LARGEST_BLOCK_PAGES = 1 << 10, WORD_BYTES = 8 };
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t pages = page_bytes * LARGEST_BLOCK_PAGES / 2 / WORD_BYTES;

	return (uint32_t)(pages * page_bytes >> 20);
}

size_t perf_plan_slab_ring(size_t ring_bytes)
{
	/* A slab has many objects. */
	enum { PART = 32, BYTES_MIN = 64 << 10 };

	return MAX(ring_bytes / PART, (size_t)BYTES_MIN);
}

bool perf_plan_buffers(BufferPlan *plan, const CollectRequest *request, unsigned cpus,
		       uint64_t available_bytes, GError **error)
{
	const BufferRequest asked = {
		.megabytes = request->buffer_megabytes,
		.cpus = cpus,
		.per_cpu = true,
		.power_of_two = true,
		.available_bytes = available_bytes,
		.megabytes_max = ring_megabytes_max(),
	};

	return buffer_plan_init(plan, &asked, error);
}
