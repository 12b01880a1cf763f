/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/elf_image.h"

#include <glib.h>
#include <stdint.h>

/*
 * The USDT probes of a program or library: notes in its section .note.stapsdt (sys/sdt.h of
 * SystemTap; https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation).
 */

/* A place in the code that is such a probe. A probe may have several. */
typedef struct {
	char *provider;
	char *name;
	char *arguments;           /* operands: see usdt_operand.h */
	uint64_t offset;           /* in the file */
	uint64_t semaphore_offset; /* in the file: the program only prepares the arguments while
				      this counter is not 0; 0: always */
} UsdtSite;

enum { USDT_SITES_MAX = 1 << 14 };

/* Returns an empty list of sites, which it owns. */
GPtrArray *usdt_sites_new(void);

/* Returns the sites (element-type UsdtSite, owned), in the order of the file. Damaged notes are
   left out. */
GPtrArray *usdt_notes_read(const ElfImage *image);
