/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_file.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The types of a kernel function's parameters and result, from the kernel's BTF. They matter
 * because a register has 8 bytes, of which a smaller type defines only the lower ones.
 */

enum { FUNCTION_PARAMETERS_MAX = 12 };

typedef struct {
	char *name;     /* owned; "" if unknown, and for a result */
	unsigned bytes; /* 1 to 8; 0: there is no result */
	bool is_signed;
} FunctionValue;

typedef struct {
	FunctionValue parameters[FUNCTION_PARAMETERS_MAX];
	unsigned count; /* of parameters */
	FunctionValue result;
} FunctionTypes;

/* Returns the types of a function of the kernel itself, not of a module, from /sys/kernel/btf below
   root ("": this host's). Returns NULL if they are not known, or one does not fit into a register.
   The caller frees it. */
FunctionTypes *function_types_read(const char *root, const char *function);
void function_types_free(FunctionTypes *types);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(FunctionTypes, function_types_free)

/* The functions of a program or library, by name. */

typedef struct {
	uint64_t address; /* as in the symbol table: not that in a process */
	uint64_t bytes;   /* 0: unknown */
	/* The loader calls it to choose one of several implementations (STT_GNU_IFUNC). */
	bool is_indirect;
} FunctionSymbol;

/* Functions of one name, and all names. */
typedef struct {
	GArray *found;     /* (element-type FunctionSymbol), owned; different addresses */
	GHashTable *names; /* owned: set of char *, borrowed from the files: of all functions */
} FunctionSymbols;

enum { FUNCTION_SYMBOLS_MAX = 256 }; /* of one name */

/*
 * Finds the functions of that name in the symbols (.symtab and .dynsym) of the files, which belong
 * to one program. Several are static functions of different sources; a global function hides them.
 * Of a function with versions, it is the one that a program linked today gets; a name like
 * "memcpy@GLIBC_2.2.5" asks for another version. The results borrow from the files.
 */
void function_symbols_find(FunctionSymbols *functions, const ElfFile *const *files, unsigned count,
			   const char *name);
