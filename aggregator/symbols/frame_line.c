/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints frames as lines, and parses such lines into parts that point into them. Every spelling of
 * a frame that renderers print is here, so filters match what users see. Writing is done in place:
 * reports may have millions of lines.
 */
#include "symbols/frame_line.h"

#include <string.h>

/* Reading. */

static TextPart frame_line_strip(TextPart part)
{
	while (part.length && g_ascii_isspace(part.text[part.length - 1]))
		part.length--;
	while (part.length && g_ascii_isspace(*part.text)) {
		part.text++;
		part.length--;
	}
	return part;
}

/* Returns the rest of a part after this position. */
static TextPart frame_line_behind(TextPart part, const char *place)
{
	return (TextPart){ place, part.length - (size_t)(place - part.text) };
}

static inline bool is_any(char c, const char *characters)
{
	while (*characters && *characters != c)
		characters++;
	return *characters;
}

/* Returns the part up to the first of these few characters. */
static inline TextPart until_any(TextPart text, const char *characters)
{
	size_t length = 0;

	while (length < text.length && !is_any(text.text[length], characters))
		length++;
	return (TextPart){ text.text, length };
}

/* Returns the last " : ", or NULL. */
static const char *last_colon(TextPart line)
{
	const char *at, *end = line.text + line.length;

	while ((at = memrchr(line.text, ':', (size_t)(end - line.text)))) {
		if (at > line.text && at[-1] == ' ' && at + 1 < line.text + line.length &&
		    at[1] == ' ')
			return at - 1;
		end = at;
	}
	return NULL;
}

static bool is_hexadecimal(TextPart word)
{
	return word.length >= 2 && word.text[0] == '0' && word.text[1] == 'x';
}

/* "0x1f" or "31" */
static uint64_t number_in(TextPart word)
{
	uint64_t number = 0;
	bool is_number =
		is_hexadecimal(word)
			? text_part_hexadecimal(frame_line_behind(word, word.text + 2), &number)
			: text_part_decimal(word, &number);

	return is_number ? number : 0;
}

/* Returns the text after the address, or all if there is none: "name+0x0/0x9f [ext4]". */
static TextPart take_address(TextPart line, FrameLine *frame)
{
	const char *colon = last_colon(line);
	TextPart rest = line;
	TextPart word = text_part_next_word(&rest);
	bool has_address = is_hexadecimal(word);

	if (has_address) {
		frame->address = number_in(word);
		frame->address_digits = (uint8_t)MIN(word.length - 2, 2 * sizeof(frame->address));
	}
	if (colon)
		return frame_line_strip(frame_line_behind(line, colon + 3));
	return has_address ? frame_line_strip(rest) : line;
}

/* "+0x10/0x9f]" */
static void take_offset(TextPart rest, FrameLine *frame)
{
	TextPart numbers, offset;

	if (!rest.length || *rest.text != '+')
		return;
	frame->has_offset = frame->function.length != 0;
	numbers = until_any(frame_line_behind(rest, rest.text + 1), "] \t");
	offset = until_any(numbers, "/");
	frame->offset = number_in(offset);
	if (offset.length < numbers.length)
		frame->bytes =
			number_in(frame_line_behind(numbers, offset.text + offset.length + 1));
}

/* Returns the length of a module's name: up to an offset, but "libstdc++.so.6" has none. */
static TextPart until_offset(TextPart name)
{
	static const char offset[] = "+0x";
	const char *at = memmem(name.text, name.length, offset, sizeof(offset) - 1);

	return at ? (TextPart){ name.text, (size_t)(at - name.text) } : name;
}

/* Returns the content of the last brackets, without an offset in the module. */
static TextPart module_in(TextPart symbol)
{
	const char *open = symbol.length ? memrchr(symbol.text, '[', symbol.length) : NULL;

	if (!open)
		return (TextPart){ symbol.text, 0 };
	return until_offset(until_any(frame_line_behind(symbol, open + 1), "] "));
}

/* "fs/pipe.c:798" after the module; SystemTap may write "(inexact)" there. */
static void take_source(TextPart symbol, FrameLine *frame)
{
	const char *close = symbol.length ? memrchr(symbol.text, ']', symbol.length) : NULL;
	TextPart rest = close ? frame_line_behind(symbol, close + 1) : (TextPart){ symbol.text, 0 };
	const char *colon = rest.length ? memrchr(rest.text, ':', rest.length) : NULL;
	uint64_t line = 0;

	if (rest.length < 2 || *rest.text != ' ' || rest.text[1] == '(')
		return;
	frame->file = rest = frame_line_strip(rest);
	if (!colon || !text_part_decimal(frame_line_behind(rest, colon + 1), &line))
		return;
	frame->file.length = (size_t)(colon - rest.text);
	frame->line = (uint32_t)line;
}

/* "[no stack recorded]" is not a module, but "[ext4+0x10]" is one. */
static bool is_remark(TextPart symbol)
{
	TextPart name;

	if (!symbol.length || *symbol.text != '[')
		return false;
	name = until_any(symbol, "]");
	return until_offset(name).length == name.length;
}

FrameLine frame_line_parse(TextPart line)
{
	FrameLine frame = { .function = { line.text, 0 },
			    .module = { line.text, 0 },
			    .file = { line.text, 0 } };
	TextPart whole = frame_line_strip(line);
	TextPart symbol = take_address(whole, &frame);
	TextPart place, behind;

	if (symbol.text == whole.text && is_remark(symbol))
		return frame;
	/* In "[ext4+0x10/0x20]" only the module is known; SystemTap repeats an address without a
	   name. */
	if (symbol.length && *symbol.text != '[' && !is_hexadecimal(symbol))
		frame.function = until_any(symbol, "+ \t");
	frame.module = module_in(symbol);
	place = frame.function.length ? frame.function : frame.module;
	behind = frame_line_behind(symbol, place.text + place.length);
	take_offset(behind, &frame);
	take_source(symbol, &frame);
	frame.inlined = (behind.length >= strlen(FRAME_INLINED_MARK) &&
			 !memcmp(behind.text, FRAME_INLINED_MARK, strlen(FRAME_INLINED_MARK))) ||
			(frame.address_digits && frame.function.length && !frame.module.length &&
			 !memchr(symbol.text, '+', symbol.length));
	return frame;
}

/* Printing. */

static void append_place(GString *out, const char *file, uint32_t line)
{
	g_string_append(out, file);
	if (line)
		g_string_append_printf(out, ":%" G_GUINT32_FORMAT, line);
}

void frame_line_append_source(GString *out, const char *file, uint32_t line)
{
	if (!file)
		return;
	g_string_append_c(out, ' ');
	append_place(out, file, line);
}

/* Length of a line without its names: three numbers of 16 digits, "0x", separators, the mark. */
enum { NUMBERS_BYTES_MAX = 96 };

/* Reports may have millions of lines, so lines are written in place. */

static char *put_hexadecimal(char *at, uint64_t number, unsigned digits_min)
{
	unsigned digits = digits_min;

	while (digits < 2 * sizeof(number) && number >> 4 * digits)
		digits++;
	at = mempcpy(at, "0x", 2);
	for (unsigned digit = digits; digit-- > 0;)
		*at++ = "0123456789abcdef"[number >> 4 * digit & 0xf];
	return at;
}

/* Writes "__kmalloc+0x0/0x9f [kernel]", or "[ext4+0x10/0x20]" if the function is unknown. */
static char *put_symbol(char *at, const Frame *frame, size_t function_bytes, size_t module_bytes)
{
	if (frame->function)
		at = mempcpy(at, frame->function, function_bytes);
	else
		at = mempcpy(mempcpy(at, "[", 1), frame->module, module_bytes);
	if (frame->inlined) {
		at = mempcpy(at, FRAME_INLINED_MARK, strlen(FRAME_INLINED_MARK));
	} else {
		at = put_hexadecimal(mempcpy(at, "+", 1), frame->offset, 1);
		at = put_hexadecimal(mempcpy(at, "/", 1), frame->bytes, 1);
	}
	if (frame->function)
		at = mempcpy(mempcpy(at, " [", 2), frame->module, module_bytes);
	return mempcpy(at, "]", 1);
}

static void append_fields(GString *out, const Frame *frame, size_t function_bytes,
			  size_t module_bytes, bool with_address)
{
	gsize start = out->len;
	char *at;

	g_string_set_size(out, start + function_bytes + module_bytes + NUMBERS_BYTES_MAX);
	at = out->str + start;
	if (with_address)
		at = put_hexadecimal(mempcpy(at, " ", 1), frame->address, frame->address_digits);
	if (with_address && frame->module)
		at = mempcpy(at, frame->function ? " : " : " ", frame->function ? 3 : 1);
	if (frame->module)
		at = put_symbol(at, frame, function_bytes, module_bytes);
	g_string_truncate(out, (gsize)(at - out->str));
	frame_line_append_source(out, frame->file, frame->line);
}

static size_t bytes_of(const char *name)
{
	return name ? strlen(name) : 0;
}

void frame_line_append(GString *out, const Frame *frame)
{
	if (frame->text)
		g_string_append(out, frame->text);
	else
		append_fields(out, frame, bytes_of(frame->function), bytes_of(frame->module), true);
}

void frame_line_append_sized(GString *out, const Frame *frame, size_t function_bytes,
			     size_t module_bytes)
{
	append_fields(out, frame, function_bytes, module_bytes, true);
}

void frame_line_append_stripped(GString *out, const Frame *frame)
{
	g_autoptr(GString) line = g_string_new(NULL);
	TextPart whole;

	frame_line_append(line, frame);
	whole = frame_line_strip((TextPart){ line->str, line->len });
	g_string_append_len(out, whole.text, (gssize)whole.length);
}

void frame_line_append_symbol(GString *out, const Frame *frame)
{
	if (frame->function && !frame->text)
		append_fields(out, frame, bytes_of(frame->function), bytes_of(frame->module),
			      false);
	else
		frame_line_append_stripped(out, frame);
}

/* Lines of other tools may lack the module of kernel functions. */
void frame_line_append_function(GString *out, const Frame *frame)
{
	if (!frame->function && !frame->module) {
		frame_line_append_stripped(out, frame);
		return;
	}
	if (frame->function) {
		g_string_append(out, frame->function);
		g_string_append_c(out, ' ');
	}
	g_string_append_c(out, '[');
	g_string_append(out, frame->module ? frame->module : "kernel");
	g_string_append_c(out, ']');
}

void frame_line_append_name(GString *out, const Frame *frame)
{
	if (frame->function)
		g_string_append(out, frame->function);
	else
		frame_line_append_function(out, frame);
}

void frame_line_append_plain(GString *out, const Frame *frame)
{
	if (!frame->function) {
		/* frame_line_parse() takes these forms for frames without a function. */
		if (frame->module)
			g_string_append_printf(out, " [%s+0x0]", frame->module);
		else if (frame->text && !frame->address_digits)
			g_string_append(out, frame->text);
		else
			g_string_append(out, "[unknown]");
		return;
	}
	g_string_append_c(out, ' ');
	g_string_append(out, frame->function);
	if (frame->inlined)
		g_string_append(out, FRAME_INLINED_MARK);
	if (frame->module)
		g_string_append_printf(out, " [%s]", frame->module);
	frame_line_append_source(out, frame->file, frame->line);
}

static int compare_printed(const Frame *a, const Frame *b)
{
	g_autoptr(GString) line_a = g_string_new(NULL), line_b = g_string_new(NULL);

	frame_line_append(line_a, a);
	frame_line_append(line_b, b);
	return strcmp(line_a->str, line_b->str);
}

void frame_line_append_line(GString *out, const Frame *frame)
{
	if (frame->file)
		append_place(out, frame->file, frame->line);
	else
		frame_line_append_function(out, frame);
}

/* Lines begin with addresses of equal width, which usually decide the order. */
int frame_line_compare(const Frame *a, const Frame *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	if (a->text || b->text || a->address_digits != b->address_digits ||
	    a->address == b->address)
		return compare_printed(a, b);
	return a->address < b->address ? -1 : 1;
}
