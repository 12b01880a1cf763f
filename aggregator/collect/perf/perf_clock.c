/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how far perf's clock is from CLOCK_MONOTONIC, on kernels that cannot use the latter: one
 * record of our own thread's name between two readings. perf_run.c and perf_maps.c add the offset
 * to all times.
 */
#include "collect/perf/perf_clock.h"

#include "base/clock.h"
#include "collect/perf/perf_ring.h"
#include "collect/perf/perf_sample.h"

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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
