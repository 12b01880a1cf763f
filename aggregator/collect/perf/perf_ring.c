/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mapped ring of perf: records between tail and head, of which one that wraps is copied. Sizes in
 * the ring are checked. Also plans the sizes of rings, and measures how far perf's clock is from
 * CLOCK_MONOTONIC, on kernels that cannot use the latter: one record of our own thread's name
 * between two readings. perf_round.c, perf_maps.c and the measurements read rings with it.
 */
#include "collect/perf/perf_ring.h"

#include "base/hot_assert.h"
#include "base/clock.h"
#include "collect/perf/perf_sample.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

bool perf_plan_buffers(BufferPlan *plan, const CollectBounds *bounds, unsigned cpus,
		       uint64_t available_bytes, GError **error)
{
	const BufferRequest asked = {
		.megabytes = bounds->buffer_megabytes,
		.cpus = cpus,
		.per_cpu = true,
		.power_of_two = true,
		.available_bytes = available_bytes,
		.megabytes_max = ring_megabytes_max(),
	};

	return buffer_plan_init(plan, &asked, error);
}

/* The clock. */

enum { COMM_BYTES = 16 };

/* Opens an event that records changes of our own thread's name. */
static int open_own_names(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A PerfRecordVisitor: keeps the time of a name. */
static void take_time(const struct perf_event_header *record, void *user_data)
{
	uint64_t *time_ns = user_data;
	struct PerfTaskRecord task;

	if (perf_task_record_parse(record, record + 1, record->size - sizeof(*record), &task) &&
	    task.kind == PERF_TASK_COMM)
		*time_ns = task.time_ns;
}

/* Sets our name to its current value: this creates a record and changes nothing. */
static bool perf_clock_measure(PerfRing *ring, int64_t *offset_ns)
{
	char name[COMM_BYTES];
	uint64_t before_ns, after_ns, time_ns = 0;

	if (prctl(PR_GET_NAME, name))
		return false;
	before_ns = clock_monotonic_ns();
	prctl(PR_SET_NAME, name);
	after_ns = clock_monotonic_ns();
	perf_ring_read(ring, perf_ring_head(ring), take_time, &time_ns);
	*offset_ns = (int64_t)(before_ns + (after_ns - before_ns) / 2 - time_ns);
	return time_ns;
}

bool perf_clock_offset(int64_t *offset_ns)
{
	int fd = open_own_names();
	PerfRing ring = { .control = NULL };
	bool is_known;

	if (fd < 0)
		return false;
	is_known = perf_ring_map(&ring, fd, (size_t)sysconf(_SC_PAGESIZE)) &&
		   perf_clock_measure(&ring, offset_ns);
	perf_ring_unmap(&ring);
	close(fd);
	return is_known;
}
