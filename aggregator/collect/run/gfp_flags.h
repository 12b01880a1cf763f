/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/*
 * The kernel's values of the gfp flags that determine an allocation's kmalloc class. They differ
 * between kernels. A tracepoint's format contains them in the description of how its flags are
 * printed.
 */
typedef enum {
	GFP_FLAG_DMA,
	GFP_FLAG_RECLAIMABLE,
	GFP_FLAG_ACCOUNT,
	GFP_FLAGS,
} GfpFlag;

typedef struct {
	uint32_t values[GFP_FLAGS]; /* one bit each; 0: unknown */
} GfpFlags;

/* Finds the running kernel's values in the format of kmalloc in the tracefs folder events/kmem
   (borrowed), or else in its BTF. */
void gfp_flags_find(GfpFlags *flags, int kmem_folder_fd);

/* The same from the text of a format, or from a BTF file. Both set only values that are still
   unknown. A missing or ambiguous value stays unknown. */
void gfp_flags_read_format(GfpFlags *flags, const char *text, size_t length);
void gfp_flags_read_btf(GfpFlags *flags, const char *path);

/* The BTF name of the flag's bit number: "___GFP_DMA_BIT". */
const char *gfp_flag_bit_name(GfpFlag flag);

/* Appends the facts for the stream. */
void gfp_flags_append(GByteArray *out, const GfpFlags *flags);
