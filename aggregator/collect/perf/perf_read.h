/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_cpus.h"
#include "collect/perf/perf_names.h"
#include "collect/tasks/task_table.h"

/* The kernel takes all events; the reader drops those of other objects or, of time spans, those of
   other threads. */
typedef struct {
	uint64_t seed;
	unsigned level; /* one of 2^level objects or threads is taken */
} AddressSample;

/*
 * What a sample means: how many events it stands for, whose they are, and whether they were
 * requested. The part of a run that perf_read.c owns; hits (perf_hits.h) use it, too.
 */
typedef struct {
	const CollectRequest *request; /* borrowed, as the next four */
	const PerfRunPlan *plan;
	const PerfEvents *events; /* NULL: not open yet */
	const PerfCost *cost;
	PerfNames *names;
	TaskTable *tasks;    /* owned */
	EventWriter *writer; /* owned */
	PerfRunCpu *cpu;     /* whose samples are being read */
	uint64_t sample_type;
	uint32_t stack_depth;
	int64_t clock_offset_ns; /* add to the samples' times to get the stream's */
	AddressSample addresses; /* if events are paired: whose events are taken */
	uint32_t self;
	bool in_container;       /* pids belong to another pid namespace than the first */
	uint64_t unread_objects; /* of records with more objects than pointers */
	uint64_t tasks_lost;     /* records of tasks that the kernel lost */
	bool is_throttled;       /* the kernel has stopped an event for a moment */
	bool scan_is_due;        /* task records were lost */
	uint64_t scanned_ns;
	bool has_frames;   /* the sample of an allocation had frames */
	bool lacks_frames; /* the sample of an allocation had none */
} PerfReader;

/* Returns how many frames of a stack, of both sides together, this kernel allows. */
uint32_t perf_read_depth_max(void);

/* Prepares to read; batches go to send with that user data. The members that are borrowed, but for
   the events, are set before. */
void perf_read_init(PerfReader *reader, BatchSender send, void *user_data);
void perf_read_clear(PerfReader *reader);

/* Whether events are paired, so that none may be left out by a period. */
static inline bool perf_read_pairs(const PerfReader *reader)
{
	const PointSet *hits = reader->plan->hits;

	return reader->request->what.held || (hits && hits->has_pairs);
}

/* The events are open: learns the form of their samples. */
void perf_read_set_events(PerfReader *reader, const PerfEvents *events);

/* Finds how far perf's clock is from that of the stream. Returns false if that is not known. */
bool perf_read_find_clock(PerfReader *reader);

/* Begins to read the samples of a CPU from the tail of its ring. */
void perf_read_begin(PerfReader *reader, PerfRunCpu *cpu);

/* A PerfRecordVisitor of samples of allocations; its user data is the PerfReader. */
void perf_read_take(const struct perf_event_header *record, void *user_data);

/* Takes a record other than a sample from the ring of samples. */
void perf_read_take_other(PerfReader *reader, const struct perf_event_header *record);

/* Ends the record that was taken. */
static inline void perf_read_pass(PerfReader *reader, const struct perf_event_header *record)
{
	reader->cpu->position += record->size;
}

/* For one sample of an event: returns how many events it stands for; 0: it does not count. */
uint32_t perf_read_weigh(PerfReader *reader, PerfEventId event, const PerfSample *sample);

/* Counts as lost what is missing for long. */
void perf_read_settle_weights(PerfReader *reader, PerfRunCpu *cpu);

/* Ends the series of an event that was disabled with that count, when its ring has been read. */
void perf_read_end_series(PerfRunCpu *cpu, PerfEventId event, uint64_t count);

/* Counts the CPU's events that have not arrived as lost. */
void perf_read_end_weights(PerfReader *reader, PerfRunCpu *cpu);

/* Whether a sample is of the program itself. Samples of interrupts belong to no process. */
bool perf_read_is_own(const PerfReader *reader, const PerfSample *sample, uint8_t context);

/* Finds the task of a sample. Returns whether its events are requested. */
bool perf_read_find_task(PerfReader *reader, const PerfSample *sample, EventTask *task);

/* Returns whether an event is requested, and counts it if it is of an interrupt that is left out;
   is_counted: its process is requested. */
bool perf_read_select(PerfReader *reader, bool is_counted, uint8_t context, uint32_t weight);

/* Reads a sample of a task's birth, or a record of a task, in the ring of a CPU's tasks. */
void perf_read_take_birth(PerfReader *reader, const struct perf_event_header *record);
void perf_read_take_task(PerfReader *reader, PerfRunCpu *cpu, const struct PerfTaskRecord *record);

/* All events up to that time have been read: scans the tasks if records of them were lost, and
   forgets those that ended. */
void perf_read_settle_tasks(PerfReader *reader, uint64_t now_ns, uint64_t until_ns);
