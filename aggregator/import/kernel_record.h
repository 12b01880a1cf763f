/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/import.h"

/*
 * Records that a kernel keeps of what is held, without tracing. They are read from the running
 * kernel, or from copies of its files.
 */
typedef struct {
	const char *name; /* for --import */
	const ImportType *type;
	const char *path;   /* in the running kernel */
	const char *remedy; /* if it is not there */
	/* Path is a folder with one of these files for each cache; NULL: it is a file. The newest
	   name first, NULL-terminated. */
	const char *const *per_cache;
} KernelRecord;

/* Ended by one without name. */
extern const KernelRecord kernel_records[];

/* Returns the record of that name, or NULL. */
const KernelRecord *kernel_record_lookup(const char *name);

/* Returns the names of all records, "alloc_traces, allocinfo". The caller frees it. */
char *kernel_record_names(void);

/* What is read. */
typedef struct {
	const KernelRecord *record;
	const char *files[2]; /* NULL: the running kernel; two: their difference */
	uint64_t hz;          /* CONFIG_HZ of the files' kernel; 0: as this kernel's */
	const char *root;     /* prefix of the running kernel's paths: "" */
} KernelRecordRequest;

/*
 * Reads one or two readings into the session and ends its stream. Returns false with error set if a
 * reading is not there or has another format, or if a difference would be wrong because a reading
 * was not read to its end or exceeds the memory limit.
 */
bool kernel_record_read(const KernelRecordRequest *request, Session *session, GError **error);

/* Sets what is known of a copy of a record: of "CACHE/alloc_traces" and "CACHE.alloc_traces" (also
   alloc_calls) the cache, and the size of its objects from a file object_size beside the former. */
void kernel_record_describe(const char *path, HeldRecord *record);
