/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/bytes.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/*
 * Where a tracepoint's fields lie in its raw records, as its file `format` in tracefs describes it.
 * Layouts differ between kernels, so no offset is built in.
 */

enum {
	TRACEPOINT_FORMAT_BYTES_MAX = 65536, /* of such a file; the longest have 10,000 */
	TRACEPOINT_FIELDS_MAX = 128,
	TRACEPOINT_NAME_BYTES = 64, /* with the NUL */
	TRACEPOINT_TYPE_BYTES = 128,
	TRACEPOINT_RECORD_BYTES_MAX = 8192, /* PERF_MAX_TRACE_SIZE of recent kernels */
};

typedef struct {
	char name[TRACEPOINT_NAME_BYTES]; /* "bytes_req" */
	char type[TRACEPOINT_TYPE_BYTES]; /* "size_t", "__data_loc char[]" */
	uint16_t offset;                  /* in bytes, from the record's first */
	uint16_t size;                    /* in bytes; 0: of varying length, at the end */
	bool is_signed;
	bool is_dynamic;  /* the record has where the value lies (__data_loc), not the value */
	bool is_number;   /* tracepoint_field_number() reads it: one value of 1, 2, 4 or 8 bytes */
	bool is_text;     /* tracepoint_field_text() reads it: a string of varying length */
	bool is_relative; /* ... and where it lies is counted from this field's end (__rel_loc) */
} TracepointField;

typedef struct {
	uint16_t id;             /* what common_type is in its records */
	TracepointField *fields; /* in the order of the file */
	unsigned field_count;
} TracepointFormat;

/* Reads the file of a tracepoint, by its path from a folder that is borrowed, as far as there is
   room for it. Returns how many bytes it has read, or -errno. */
ssize_t tracepoint_format_read(int folder_fd, const char *point, char *text, size_t text_bytes);

/* Reads the text of such a file, which need not end with a NUL. Returns NULL with error set, one
   line, when its layout cannot be trusted: no ID, no field, a field twice or in another.
 */
TracepointFormat *tracepoint_format_parse(const char *text, size_t length, GError **error);
void tracepoint_format_free(TracepointFormat *format);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TracepointFormat, tracepoint_format_free)

/* Returns the field, or NULL when this kernel does not record it. */
const TracepointField *tracepoint_format_lookup(const TracepointFormat *format, const char *name);

/*
 * Reads a number of a raw record of raw_bytes, at any address; a signed one keeps its sign. Returns
 * false when the field is not in the record as a whole, or is no number.
 */
static inline bool tracepoint_field_number(const TracepointField *field, const uint8_t *raw,
					   uint32_t raw_bytes, uint64_t *value)
{
	if (!field->is_number || (uint32_t)field->offset + field->size > raw_bytes)
		return false;
	raw += field->offset;
	switch (field->size) {
	case 1:
		*value = field->is_signed ? (uint64_t)(int8_t)*raw : *raw;
		return true;
	case 2:
		*value = load_u16(raw, false);
		*value = field->is_signed ? (uint64_t)(int16_t)*value : *value;
		return true;
	case 4:
		*value = load_u32(raw, false);
		*value = field->is_signed ? (uint64_t)(int32_t)*value : *value;
		return true;
	case 8:
		*value = load_u64(raw, false);
		return true;
	default:
		return false;
	}
}

/*
 * Returns the text of a raw record of raw_bytes, and its length, which never reaches behind the
 * record or the place that the field says it has; it may have any bytes but NUL, and no NUL behind
 * it. Returns NULL when the field is no text, or lies outside of the record.
 */
static inline const char *tracepoint_field_text(const TracepointField *field, const uint8_t *raw,
						uint32_t raw_bytes, uint32_t *length)
{
	uint32_t location, offset, bytes;

	if (!field->is_text || (uint32_t)field->offset + sizeof(location) > raw_bytes)
		return NULL;
	location = load_u32(raw + field->offset, false);
	offset = (location & 0xffff) +
		 (field->is_relative ? field->offset + (uint32_t)sizeof(location) : 0);
	bytes = location >> 16;
	if (offset > raw_bytes || bytes > raw_bytes - offset)
		return NULL;
	*length = (uint32_t)strnlen((const char *)raw + offset, bytes);
	return (const char *)raw + offset;
}
