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
 * The positions of a tracepoint's fields in its raw records, from its file `format` in tracefs.
 * Layouts differ between kernels, so no offset is built in.
 */

enum {
	TRACEPOINT_FORMAT_BYTES_MAX = 65536, /* of the file; the longest ones have 10,000 */
	TRACEPOINT_FIELDS_MAX = 128,
	TRACEPOINT_NAME_BYTES = 64, /* including the NUL */
	TRACEPOINT_TYPE_BYTES = 128,
	TRACEPOINT_RECORD_BYTES_MAX = 8192, /* PERF_MAX_TRACE_SIZE of recent kernels */
};

typedef struct {
	char name[TRACEPOINT_NAME_BYTES]; /* "bytes_req" */
	char type[TRACEPOINT_TYPE_BYTES]; /* "size_t", "__data_loc char[]" */
	uint16_t offset;                  /* in bytes, from the record's start */
	uint16_t size;                    /* in bytes; 0: variable length, at the end */
	bool is_signed;
	bool is_dynamic;  /* the record contains the value's position (__data_loc), not the value */
	bool is_number;   /* tracepoint_field_number() can read it: a value of 1, 2, 4 or 8 bytes */
	bool is_text;     /* tracepoint_field_text() can read it: a string of variable length */
	bool is_relative; /* ... and its position counts from this field's end (__rel_loc) */
} TracepointField;

typedef struct {
	uint16_t id;             /* common_type in its records */
	TracepointField *fields; /* in the order of the file */
	unsigned field_count;
} TracepointFormat;

/* Reads a tracepoint's format file, by its path from the borrowed folder, up to text_bytes. Returns
   the number of bytes read, or -errno. */
ssize_t tracepoint_format_read(int folder_fd, const char *point, char *text, size_t text_bytes);

/* Parses the text of a format file, which need not end with a NUL. Returns NULL with error set (one
   line) if the layout cannot be trusted: no ID, no field, a duplicate or overlapping field. */
TracepointFormat *tracepoint_format_parse(const char *text, size_t length, GError **error);
void tracepoint_format_free(TracepointFormat *format);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TracepointFormat, tracepoint_format_free)

/* Returns the field, or NULL if this kernel does not record it. */
const TracepointField *tracepoint_format_lookup(const TracepointFormat *format, const char *name);

/*
 * Reads a number from a raw record of raw_bytes, at any alignment; signed fields are sign-extended.
 * Returns false if the field is not completely inside the record, or is not a number.
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
 * Returns a text in a raw record of raw_bytes, and its length. The text never exceeds the record or
 * the range given by the field. It may contain any bytes except NUL, and need not end with NUL.
 * Returns NULL if the field is not a text, or lies outside of the record.
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
