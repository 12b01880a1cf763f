/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the kernel writes into a ring buffer of perf events, as numbers. Each record is a struct
 * perf_event_header and a body, which is given here: aligned to 8 bytes, in one piece, header.size
 * less the header long. It is read within that length, whatever it says. Nothing is allocated.
 */

/* Constants that the header of an older distribution may lack; as enumerators, invisible to #ifdef.
 */
#define PERF_SAMPLE_CGROUP_BIT (1ULL << 21)
enum { PERF_RECORD_LOST_SAMPLES_TYPE = 13 };
#ifndef PERF_RECORD_MISC_COMM_EXEC
#define PERF_RECORD_MISC_COMM_EXEC (1 << 13)
#endif

/* Beside PERF_SAMPLE_READ: the event's read_format has PERF_FORMAT_LOST. The kernel does not use
   this bit. */
#define PERF_SAMPLE_READ_LOST_BIT (1ULL << 62)

/* The bits that perf_sample_parse() requires, and those that it also understands. */
#define PERF_SAMPLE_NEEDED (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define PERF_SAMPLE_KNOWN (PERF_SAMPLE_NEEDED | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP_BIT)
#define PERF_SAMPLE_COUNTED (PERF_SAMPLE_READ | PERF_SAMPLE_READ_LOST_BIT) /* likewise */

/* A PERF_RECORD_SAMPLE. The pointers are into its body. */
typedef struct {
	uint32_t tgid;
	uint32_t tid;
	uint64_t time_ns;       /* on the clock the event was opened with */
	const uint64_t *frames; /* of the kernel, innermost first */
	uint32_t depth;         /* frames; 0: none were taken, or the kernel had none */
	uint32_t raw_bytes;     /* with up to 7 of padding */
	const uint8_t *raw;     /* the tracepoint's record */
	uint64_t cgroup_id;     /* 0: not asked for */
	uint64_t count;         /* of the event until then, this one included; 0: not asked for */
} PerfSample;

/* Reads the body of a sample of an event that was opened with that sample_type, and a read_format
   of PERF_FORMAT_LOST at most. Returns false when it is no such body. */
bool perf_sample_parse(const void *body, size_t body_bytes, uint64_t sample_type,
		       PerfSample *sample);

typedef enum {
	PERF_TASK_NONE, /* another type of record */
	PERF_TASK_COMM,
	PERF_TASK_FORK,
	PERF_TASK_EXIT,
	PERF_TASK_LOST,         /* records that found the buffer full */
	PERF_TASK_LOST_SAMPLES, /* samples that the kernel could not take */
} PerfTaskKind;

enum { PERF_TASK_COMM_BYTES = 16 };

/* A record beside the samples: of a task, or of lost records. */
struct PerfTaskRecord {
	PerfTaskKind kind;
	uint32_t tgid;                   /* COMM, FORK, EXIT: of the task that it is about */
	uint32_t tid;                    /* likewise */
	uint32_t parent_tgid;            /* FORK, EXIT */
	uint32_t parent_tid;             /* likewise */
	uint64_t time_ns;                /* when it was written, on the clock of the samples */
	uint64_t event_id;               /* LOST: of the event in whose buffer there was no room */
	uint64_t lost;                   /* LOST, LOST_SAMPLES: how many */
	bool is_exec;                    /* COMM: the new name is that of a program it has become */
	char comm[PERF_TASK_COMM_BYTES]; /* COMM: terminated, as the task chose it: untrusted */
};

/* Reads a record of another type, of an event that was opened with sample_id_all and a sample_type
   of which only PERF_SAMPLE_TID and PERF_SAMPLE_TIME matter here: both. Returns false when the body
   is none of that type; a type that is not listed above is PERF_TASK_NONE. */
bool perf_task_record_parse(const struct perf_event_header *header, const void *body,
			    size_t body_bytes, struct PerfTaskRecord *record);
