/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_file.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The ELF file of a program or library. Everybody may have written it: read it in a process without
   rights. */
typedef struct {
	ElfFile file;
} ElfImage;

/* Reads an open file, which is borrowed. Returns NULL if it is not an ELF program or library. */
ElfImage *elf_image_new(int fd);
void elf_image_free(ElfImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ElfImage, elf_image_free)

/*
 * The arguments of a USDT site are a text of assembler operands, "8@%rdi -4@$5 4@-20(%rbp)": their
 * size in bytes, negative if signed, and their place (sys/sdt.h of SystemTap). The text comes from
 * the file, and is untrusted.
 */
typedef enum {
	USDT_OPERAND_REGISTER,
	USDT_OPERAND_CONSTANT,
	USDT_OPERAND_MEMORY, /* or of another form */
} UsdtOperandKind;

typedef struct {
	UsdtOperandKind kind;
	unsigned bytes; /* 1, 2, 4 or 8 */
	bool is_signed;
	int register_number; /* as in point_registers.h */
	int64_t constant;
} UsdtOperand;

/* Parses the operand of that number (1: the first). Returns false if there are fewer. */
bool usdt_operand_parse(const char *arguments, unsigned number, UsdtOperand *operand);

/* Returns the number of operands in these arguments. */
unsigned usdt_operands_count(const char *arguments);

/*
 * The USDT probes of a program or library: notes in its section .note.stapsdt (sys/sdt.h of
 * SystemTap; https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation).
 */

/* A place in the code that is such a probe. A probe may have several. */
typedef struct {
	char *provider;
	char *name;
	char *arguments;           /* operands: see UsdtOperandKind */
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
