/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/*
 * GfpFlags has a kernel's values of the gfp flags that decide which class of kmalloc an allocation
 * comes from. They differ between kernels; a tracepoint's format shows them where it describes how
 * its flags are printed.
 */
typedef enum {
	GFP_FLAG_DMA,
	GFP_FLAG_RECLAIMABLE,
	GFP_FLAG_ACCOUNT,
	GFP_FLAGS,
} GfpFlag;

typedef struct {
	uint32_t values[GFP_FLAGS]; /* one bit each; 0: not known */
} GfpFlags;

/* Finds those of the running kernel: by the format of kmalloc in the tracefs folder events/kmem,
   which is borrowed, or else by its BTF. */
void gfp_flags_find(GfpFlags *flags, int kmem_folder_fd);

/* The same from the text of a format, or from a file of BTF or with it, for what is not known yet.
   What they lack or show ambiguously stays unknown. */
void gfp_flags_read_format(GfpFlags *flags, const char *text, size_t length);
void gfp_flags_read_btf(GfpFlags *flags, const char *path);

/* The name by which BTF has the number of a flag's bit, "___GFP_DMA_BIT". */
const char *gfp_flag_bit_name(GfpFlag flag);

/* Appends the facts for the stream. */
void gfp_flags_append(GByteArray *out, const GfpFlags *flags);
