/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parses the records in a ring buffer of perf events. Each record is a struct perf_event_header and
 * a body. The functions take the body: aligned to 8 bytes, contiguous, header.size minus the header
 * long. They never read beyond that length, and allocate nothing.
 */

/* Constants that the header of an older distribution may lack. They are enumerators, so #ifdef
   cannot test them. */
#define PERF_SAMPLE_CGROUP_BIT (1ULL << 21)
enum { PERF_RECORD_LOST_SAMPLES_TYPE = 13 };
#ifndef PERF_RECORD_MISC_COMM_EXEC
#define PERF_RECORD_MISC_COMM_EXEC (1 << 13)
#endif

/* With PERF_SAMPLE_READ: the event's read_format has PERF_FORMAT_LOST. The kernel does not use this
   bit. */
#define PERF_SAMPLE_READ_LOST_BIT (1ULL << 62)
/* ... has PERF_FORMAT_ID. */
#define PERF_SAMPLE_READ_ID_BIT (1ULL << 61)

/* The bits that perf_sample_parse() requires, and the others that it supports. */
#define PERF_SAMPLE_NEEDED (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define PERF_SAMPLE_KNOWN (PERF_SAMPLE_NEEDED | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP_BIT)
#define PERF_SAMPLE_COUNTED (PERF_SAMPLE_READ | PERF_SAMPLE_READ_ID_BIT | PERF_SAMPLE_READ_LOST_BIT)

/* A PERF_RECORD_SAMPLE. The pointers point into its body. */
typedef struct {
	uint32_t tgid;
	uint32_t tid;
	uint64_t time_ns;       /* on the clock of the event */
	const uint64_t *frames; /* kernel frames, innermost first */
	uint32_t depth;         /* frames; 0: none requested or none available */
	uint32_t raw_bytes;     /* including up to 7 bytes of padding */
	const uint8_t *raw;     /* the tracepoint's record */
	uint64_t cgroup_id;     /* 0: not requested */
	uint64_t count;    /* running count of the event, including this one; 0: not requested */
	uint64_t event_id; /* the kernel's number of the event; 0: not requested */
} PerfSample;

/* Parses the body of a sample of an event that was opened with that sample_type and at most
   PERF_FORMAT_ID and PERF_FORMAT_LOST as read_format. Returns false if the body is not such a
   sample. */
bool perf_sample_parse(const void *body, size_t body_bytes, uint64_t sample_type,
		       PerfSample *sample);

/* Some kernels (5.10) report the place of the tracepoint twice: once from the registers, and once
   found on the stack by the unwinder. No real stack begins with the same frame twice, because no
   call comes from there. Takes the second one out of the kernel frames. */
static inline void perf_sample_drop_double(PerfSample *sample)
{
	if (sample->depth < 2 || sample->frames[0] != sample->frames[1])
		return;
	sample->frames++;
	sample->depth--;
}

/* The bits that perf_hit_parse() supports. */
#define PERF_HIT_KNOWN                                                                             \
	(PERF_SAMPLE_KNOWN | PERF_SAMPLE_COUNTED | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR |     \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR)

/* How the samples of probe points were requested. */
typedef struct {
	uint64_t sample_type;
	unsigned registers;      /* number of those of PERF_SAMPLE_REGS_INTR */
	unsigned user_registers; /* ... and of PERF_SAMPLE_REGS_USER */
} PerfHitForm;

/* A sample of a probe point. The pointers point into its body. */
typedef struct {
	PerfSample sample;
	uint64_t id;                 /* of the event that was hit */
	uint64_t address;            /* of a page fault; 0: none */
	const uint64_t *user_frames; /* innermost first */
	uint32_t user_depth;
	const uint64_t *registers; /* where the probe was hit; NULL: not known */
	uint64_t registers_abi;    /* enum perf_sample_regs_abi; 0: no registers */
	/* To unwind the user stack: registers on entry to the kernel, and a copy of the stack from
	   its pointer on; NULL: the task has none. */
	uint64_t user_registers_abi;
	const uint64_t *user_registers;
	const uint8_t *user_stack;
	uint64_t user_stack_bytes;
} PerfHit;

/* Parses the body of a sample of a probe point. Returns false if the body has another form. */
bool perf_hit_parse(const void *body, size_t body_bytes, const PerfHitForm *form, PerfHit *hit);

/*
 * Returns the return address on top of the copy of the user stack, if the user frames lack it; else
 * 0. At a function's first instruction the frame pointer is still that of its caller, so a walk by
 * frame pointers leaves the caller out. Since Linux 6.12 the kernel adds it to functions that begin
 * with "push %rbp" or "endbr64" (is_uprobe_at_func_entry() in arch/x86/events/core.c).
 */
uint64_t perf_hit_missing_caller(const PerfHit *hit);

typedef enum {
	PERF_TASK_NONE, /* another type of record */
	PERF_TASK_COMM,
	PERF_TASK_FORK,
	PERF_TASK_EXIT,
	PERF_TASK_LOST,         /* records that found the buffer full */
	PERF_TASK_LOST_SAMPLES, /* samples that the kernel could not take */
} PerfTaskKind;

enum { PERF_TASK_COMM_BYTES = 16 };

/* A record other than a sample: of a task, or of lost records. */
struct PerfTaskRecord {
	PerfTaskKind kind;
	uint32_t tgid;        /* COMM, FORK, EXIT: of the task that the record describes */
	uint32_t tid;         /* COMM, FORK, EXIT */
	uint32_t parent_tgid; /* FORK, EXIT */
	uint32_t parent_tid;  /* FORK, EXIT */
	uint64_t time_ns;     /* time of the record, on the clock of the samples */
	uint64_t event_id;    /* LOST: of the event whose buffer was full */
	uint64_t lost;        /* LOST, LOST_SAMPLES: number lost */
	bool is_exec;         /* COMM: the name changed because of an exec */
	char comm[PERF_TASK_COMM_BYTES]; /* COMM: NUL-terminated; set by the task, so untrusted */
};

/* Parses a record of another type. Its event was opened with sample_id_all and a sample_type that
   includes PERF_SAMPLE_TID and PERF_SAMPLE_TIME; other bits do not matter here. Returns false if
   the body does not match its type. A type that is not listed above gives PERF_TASK_NONE. */
bool perf_task_record_parse(const struct perf_event_header *header, const void *body,
			    size_t body_bytes, struct PerfTaskRecord *record);

/* PERF_RECORD_MMAP2 with a build id instead of an inode; headers before Linux 5.12 lack it. */
enum { PERF_RECORD_MISC_BUILD_ID = 1 << 14 };

enum { PERF_BUILD_ID_BYTES_MAX = 20 };

/* A new mapping of a process. */
typedef struct {
	uint32_t tgid;
	uint32_t tid;
	uint64_t time_ns; /* on the clock of the samples */
	uint64_t start;
	uint64_t bytes;
	uint64_t file_offset;
	uint32_t major, minor; /* all four are 0 if the kernel reported the build id instead */
	uint64_t inode;
	uint64_t generation;
	bool is_executable;
	uint8_t build_id_bytes; /* 0: not known */
	uint8_t build_id[PERF_BUILD_ID_BYTES_MAX];
	const char *path; /* in the record; NUL-terminated, any bytes */
} PerfMapRecord;

/* Parses a record of type PERF_RECORD_MMAP2; see perf_task_record_parse(). Returns false if the
   body does not match, or if the mapping is of the kernel. */
bool perf_map_record_parse(const struct perf_event_header *header, const void *body,
			   size_t body_bytes, PerfMapRecord *record);
