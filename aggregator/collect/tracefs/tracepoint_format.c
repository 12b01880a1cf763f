/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a format file of tracefs into an array of fields with their places in a record. Bounded
 * text, no copies but names. Every reader of raw records gets its offsets from here.
 */
#include "config.h"

#include "collect/tracefs/tracepoint_format.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

/* A part of the text. */
typedef struct {
	const char *at;
	const char *end;
} Span;

static Span span_trim(Span span)
{
	while (span.at < span.end && g_ascii_isspace(*span.at))
		span.at++;
	while (span.at < span.end && g_ascii_isspace(span.end[-1]))
		span.end--;
	return span;
}

/* Removes the text before the delimiter, and the delimiter, from the rest and returns it. Without
   delimiter, takes all. */
static Span span_take(Span *rest, char delimiter)
{
	const char *found = memchr(rest->at, delimiter, (size_t)(rest->end - rest->at));
	Span taken = { rest->at, found ? found : rest->end };

	rest->at = found ? found + 1 : rest->end;
	return taken;
}

static bool span_skip(Span *span, const char *prefix)
{
	size_t length = strlen(prefix);

	if ((size_t)(span->end - span->at) < length || memcmp(span->at, prefix, length) != 0)
		return false;
	span->at += length;
	return true;
}

/* Reads a decimal number that fills the whole span. */
static bool span_number(Span span, uint32_t max, uint32_t *number)
{
	uint64_t value = 0;

	span = span_trim(span);
	if (span.at == span.end)
		return false;
	for (; span.at < span.end; span.at++) {
		if (!g_ascii_isdigit(*span.at))
			return false;
		value = value * 10 + (uint64_t)(*span.at - '0');
		if (value > max)
			return false;
	}
	*number = (uint32_t)value;
	return true;
}

/* Copies the span, NUL-terminated. Rejects control characters, which no declaration contains. */
static bool span_copy(Span span, char *to, size_t to_bytes)
{
	size_t length = (size_t)(span.end - span.at);

	if (!length || length >= to_bytes)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!g_ascii_isprint(span.at[i]))
			return false;
	memcpy(to, span.at, length);
	to[length] = '\0';
	return true;
}

/* Removes the last pair of brackets and its content. */
static Span span_without_bounds(Span span)
{
	Span name = span;

	if (span.at == span.end || span.end[-1] != ']')
		return span;
	while (name.end > name.at && name.end[-1] != '[')
		name.end--;
	if (name.end > name.at)
		name.end--;
	return span_trim(name);
}

/* Splits "const void * ptr", "char comm[16]", "__data_loc char[] name" into type and name. */
static bool read_declaration(Span declaration, TracepointField *field)
{
	Span name, type;

	declaration = span_trim(declaration);
	name = span_without_bounds(declaration);
	field->is_number = name.end == declaration.end;
	type.at = name.at;
	name.at = name.end;
	while (name.at > type.at && (g_ascii_isalnum(name.at[-1]) || name.at[-1] == '_'))
		name.at--;
	type.end = name.at;
	type = span_trim(type);
	return span_copy(name, field->name, sizeof(field->name)) &&
	       span_copy(type, field->type, sizeof(field->type));
}

/* Reads "KEY:NUMBER;" from the rest. */
static bool read_attribute(Span *rest, const char *key, uint32_t max, uint32_t *number)
{
	Span attribute = span_trim(span_take(rest, ';'));

	return span_skip(&attribute, key) && span_number(attribute, max, number);
}

/* Whether the type is the location prefix followed by a string type of variable length. */
static bool is_text_of(const TracepointField *field, const char *location)
{
	return g_str_has_prefix(field->type, location) &&
	       g_str_equal(field->type + strlen(location), "char[]") &&
	       field->size == sizeof(uint32_t);
}

/* Parses the text after "field:". Later kernels may add attributes at the end. */
static bool read_field(Span line, TracepointField *field)
{
	uint32_t offset, size, is_signed;

	if (!read_declaration(span_take(&line, ';'), field) ||
	    !read_attribute(&line, "offset:", TRACEPOINT_RECORD_BYTES_MAX, &offset) ||
	    !read_attribute(&line, "size:", TRACEPOINT_RECORD_BYTES_MAX - offset, &size) ||
	    !read_attribute(&line, "signed:", 1, &is_signed))
		return false;
	field->is_dynamic = g_str_has_prefix(field->type, "__data_loc ") ||
			    g_str_has_prefix(field->type, "__rel_loc ");
	field->offset = (uint16_t)offset;
	field->size = (uint16_t)size;
	field->is_relative = is_text_of(field, "__rel_loc ");
	field->is_text = field->is_relative || is_text_of(field, "__data_loc ");
	field->is_number = field->is_number && !field->is_dynamic &&
			   (size == 1 || size == 2 || size == 4 || size == 8);
	field->is_signed = is_signed;
	return true;
}

/* Returns false if it is at odds with another one: of its name, or in its place. */
static bool add_field(GArray *fields, Span line)
{
	TracepointField field;

	if (!read_field(line, &field) || fields->len >= TRACEPOINT_FIELDS_MAX)
		return false;
	for (guint i = 0; i < fields->len; i++) {
		const TracepointField *other = &g_array_index(fields, TracepointField, i);
		bool overlaps = field.size && other->size &&
				other->offset < field.offset + field.size &&
				field.offset < other->offset + other->size;

		if (overlaps || g_str_equal(other->name, field.name))
			return false;
	}
	g_array_append_val(fields, field);
	return true;
}

/* Lines of other kinds do not describe the layout. */
static bool read_line(Span line, uint32_t *id, GArray *fields)
{
	line = span_trim(line);
	if (span_skip(&line, "field:"))
		return add_field(fields, line);
	return !span_skip(&line, "ID:") || (!*id && span_number(line, UINT16_MAX, id));
}

static TracepointFormat *tracepoint_format_fail(GError **error, const char *problem, unsigned line)
{
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
		    "the description of a tracepoint's fields cannot be read, %s (line %u)",
		    problem, line);
	return NULL;
}

TracepointFormat *tracepoint_format_parse(const char *text, size_t length, GError **error)
{
	g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(TracepointField));
	Span rest = { text, text + length };
	TracepointFormat *format;
	unsigned line_number = 0;
	uint32_t id = 0;

	if (length > TRACEPOINT_FORMAT_BYTES_MAX)
		return tracepoint_format_fail(error, "it is too long", 1);
	while (rest.at < rest.end) {
		Span line = span_take(&rest, '\n');

		line_number++;
		if (span_skip(&line, "print fmt"))
			break;
		if (!read_line(line, &id, fields))
			return tracepoint_format_fail(error, "invalid text", line_number);
	}
	if (!id || !fields->len)
		return tracepoint_format_fail(error, id ? "it has no fields" : "it has no ID",
					      line_number);
	format = g_new0(TracepointFormat, 1);
	format->id = (uint16_t)id;
	format->field_count = fields->len;
	format->fields = (TracepointField *)(void *)g_array_free(g_steal_pointer(&fields), FALSE);
	return format;
}

void tracepoint_format_free(TracepointFormat *format)
{
	if (!format)
		return;
	g_free(format->fields);
	g_free(format);
}

const TracepointField *tracepoint_format_lookup(const TracepointFormat *format, const char *name)
{
	for (unsigned i = 0; i < format->field_count; i++)
		if (g_str_equal(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

ssize_t tracepoint_format_read(int folder_fd, const char *point, char *text, size_t text_bytes)
{
	g_autofree char *path = g_build_filename(point, "format", NULL);
	int fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t length = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	do {
		got = read(fd, text + length, text_bytes - length);
		length += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && length < text_bytes) || (got < 0 && errno == EINTR));
	got = got < 0 ? -errno : (ssize_t)length;
	close(fd);
	return got;
}
