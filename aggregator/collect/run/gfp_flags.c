/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the values of three gfp flags of this kernel: a small parser evaluates the expressions in a
 * tracepoint's print fmt. They go into the stream, and into perf's filters.
 */
#include "config.h"

#include "collect/run/gfp_flags.h"

#include "collect/run/run_facts.h"
#include "collect/tracefs/tracepoint_format.h"
#include "record/format.h"

#include <string.h>
#ifdef HAVE_LIBBPF
#include "collect/facts/host_facts.h"

#include <bpf/btf.h>
#endif

/*
 * The other source: an enum in the kernel's BTF, for kernels whose format names bits
 * only.
 */

#ifdef HAVE_LIBBPF
static void take_bit(GfpFlags *flags, const char *name, int32_t bit)
{
	for (int i = 0; name && i < GFP_FLAGS; i++)
		if (!flags->values[i] && bit >= 0 && bit < 32 &&
		    !strcmp(name, gfp_flag_bit_name(i)))
			flags->values[i] = UINT32_C(1) << bit;
}

void gfp_flags_read_btf(GfpFlags *flags, const char *path)
{
	struct btf *btf = btf_file_parse(path);
	const struct btf_type *type;

	for (uint32_t id = 1; btf && (type = btf__type_by_id(btf, id)); id++) {
		const struct btf_enum *value = btf_enum(type);

		/* The enum that contains them is anonymous. */
		if (!btf_is_enum(type) || type->name_off)
			continue;
		for (uint32_t i = 0; i < btf_vlen(type); i++)
			take_bit(flags, btf__name_by_offset(btf, value[i].name_off), value[i].val);
	}
	btf__free(btf);
}
#else
void gfp_flags_read_btf(GfpFlags *flags, const char *path)
{
	(void)flags;
	(void)path;
}
#endif

/* A one-bit flag has at most eight pairs of brackets. */
enum { BRACKETS_MAX = 32 };

static const struct {
	enum KmtFieldId field;
	const char *name;
	const char *other_name; /* in older or newer kernels */
	const char *bit_name;
} known[GFP_FLAGS] = {
	[GFP_FLAG_DMA] = { KMT_FIELD_GFP_DMA, "GFP_DMA", "__GFP_DMA", "___GFP_DMA_BIT" },
	[GFP_FLAG_RECLAIMABLE] = { KMT_FIELD_GFP_RECLAIMABLE, "__GFP_RECLAIMABLE",
				   "GFP_RECLAIMABLE", "___GFP_RECLAIMABLE_BIT" },
	[GFP_FLAG_ACCOUNT] = { KMT_FIELD_GFP_ACCOUNT, "__GFP_ACCOUNT", "GFP_ACCOUNT",
			       "___GFP_ACCOUNT_BIT" },
};

/* The value of an expression after the C preprocessor: "( gfp_t)((((1UL))) << (22))". Numbers,
   casts, << and | are supported; anything else makes the value unknown. */
typedef struct {
	const char *at;
	const char *end;
	unsigned brackets; /* opened until here */
} FlagExpression;

static bool read_either(FlagExpression *expression, uint64_t *value);

static char next_of(FlagExpression *expression)
{
	while (expression->at < expression->end && g_ascii_isspace(*expression->at))
		expression->at++;
	return expression->at < expression->end ? *expression->at : '\0';
}

static bool gfp_flags_take(FlagExpression *expression, char wanted)
{
	if (next_of(expression) != wanted)
		return false;
	expression->at++;
	return true;
}

/* The text ends with a NUL, so no read passes its end. */
static bool read_number(FlagExpression *expression, uint64_t *value)
{
	char *end;

	if (!g_ascii_isdigit(next_of(expression)))
		return false;
	*value = g_ascii_strtoull(expression->at, &end, 0);
	while (*end && strchr("uUlL", *end))
		end++;
	expression->at = end;
	return true;
}

/* Reads the name of a type and the closing bracket: "unsigned long)". */
static bool take_cast(FlagExpression *expression)
{
	char first = next_of(expression);

	if (!g_ascii_isalpha(first) && first != '_')
		return false;
	for (char c = first; g_ascii_isalnum(c) || c == '_'; c = next_of(expression))
		expression->at++;
	return gfp_flags_take(expression, ')');
}

static bool read_operand(FlagExpression *expression, uint64_t *value)
{
	if (!gfp_flags_take(expression, '('))
		return read_number(expression, value);
	if (++expression->brackets > BRACKETS_MAX)
		return false;
	if (take_cast(expression))
		return read_operand(expression, value);
	return read_either(expression, value) && gfp_flags_take(expression, ')');
}

static bool read_shifted(FlagExpression *expression, uint64_t *value)
{
	uint64_t bits;

	if (!read_operand(expression, value))
		return false;
	while (gfp_flags_take(expression, '<')) {
		if (!gfp_flags_take(expression, '<') || !read_operand(expression, &bits) ||
		    bits >= 64)
			return false;
		*value <<= bits;
	}
	return true;
}

static bool read_either(FlagExpression *expression, uint64_t *value)
{
	uint64_t other;

	if (!read_shifted(expression, value))
		return false;
	while (gfp_flags_take(expression, '|')) {
		if (!read_shifted(expression, &other))
			return false;
		*value |= other;
	}
	return true;
}

/* Finds "{VALUE, "NAME"}" in the arguments of __print_flags(). Returns the value if it has exactly
   one bit, else 0. */
static uint32_t flag_named(const char *text, const char *name)
{
	g_autofree char *quoted = g_strdup_printf("\"%s\"", name);
	const char *end = strstr(text, quoted), *start;
	FlagExpression expression = { 0 };
	uint64_t value;

	while (end > text && g_ascii_isspace(end[-1]))
		end--;
	start = end ? g_strrstr_len(text, end - text, "{") : NULL;
	if (!start || end[-1] != ',')
		return 0;
	expression.at = start + 1;
	expression.end = end - 1;
	if (!read_either(&expression, &value) || next_of(&expression) || value > UINT32_MAX)
		return 0;
	return value & (value - 1) ? 0 : (uint32_t)value;
}

void gfp_flags_read_format(GfpFlags *flags, const char *text, size_t length)
{
	g_autofree char *bounded = g_strndup(text, MIN(length, TRACEPOINT_FORMAT_BYTES_MAX));
	const char *printing = strstr(bounded, "print fmt:");

	for (int i = 0; printing && i < GFP_FLAGS; i++) {
		if (!flags->values[i])
			flags->values[i] = flag_named(printing, known[i].name);
		if (!flags->values[i])
			flags->values[i] = flag_named(printing, known[i].other_name);
	}
}

static bool are_known(const GfpFlags *flags)
{
	for (int i = 0; i < GFP_FLAGS; i++)
		if (!flags->values[i])
			return false;
	return true;
}

void gfp_flags_find(GfpFlags *flags, int kmem_folder_fd)
{
	g_autofree char *text = g_malloc(TRACEPOINT_FORMAT_BYTES_MAX);
	ssize_t length = tracepoint_format_read(kmem_folder_fd, "kmalloc", text,
						TRACEPOINT_FORMAT_BYTES_MAX);

	*flags = (GfpFlags){ 0 };
	if (length > 0)
		gfp_flags_read_format(flags, text, (size_t)length);
	if (!are_known(flags))
		gfp_flags_read_btf(flags, "/sys/kernel/btf/vmlinux");
}

const char *gfp_flag_bit_name(GfpFlag flag)
{
	return known[flag].bit_name;
}

void gfp_flags_append(GByteArray *out, const GfpFlags *flags)
{
	for (int i = 0; i < GFP_FLAGS; i++)
		if (flags->values[i])
			run_facts_write_number(out, known[i].field, flags->values[i]);
}
