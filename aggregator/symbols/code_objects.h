/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * CodeObjects finds the file in which code of the kernel lies, and where in it: independent of the
 * addresses at which the kernel and its modules were loaded. So a place means the same in every
 * boot, and its line can be found with the debug data of the file.
 */
typedef struct CodeObjects CodeObjects;

/* What the offset of a place is relative to. */
typedef enum {
	CODE_OF_KERNEL,  /* _stext */
	CODE_OF_MODULE,  /* the start of a section */
	CODE_OF_PROGRAM, /* the start of the file */
} CodeKind;

/* The kernel, or a section of a module. Everything is borrowed from the table. */
typedef struct {
	CodeKind kind;
	const char *name;     /* of the module, as recorded; "kernel" */
	const char *build_id; /* hexadecimal; NULL: not recorded */
	const char *section;  /* of a module; NULL: no addresses of its sections were recorded */
	/* One word that identifies the object; NULL: it has no build id or no
	   section, so places in it mean nothing elsewhere. */
	const char *key;
} CodeObject;

/* Returns a new one; free it with code_objects_free(). */
CodeObjects *code_objects_new(void);
void code_objects_free(CodeObjects *objects);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CodeObjects, code_objects_free)

/* Reads a batch of kind KMT_BATCH_MODULES or KMT_BATCH_SECTIONS: lines of a symbol epoch,
   "NAME BYTES ADDRESS BUILD-ID" or "MODULE SECTION ADDRESS" (hexadecimal addresses). The sections
   of an epoch follow its modules. */
void code_objects_read_batch(CodeObjects *objects, const Batch *batch);

/* Sets the range of the kernel's own code: _stext and the end. */
void code_objects_set_text(CodeObjects *objects, uint64_t start, uint64_t end);

/* Finds the object of an address, and the offset there. Returns NULL if it is in none. The object
   stays valid until the next addition. */
const CodeObject *code_objects_find(const CodeObjects *objects, uint32_t epoch, uint64_t address,
				    uint64_t *offset);

/* An object or a section of it, and where it was loaded. */
typedef struct {
	const CodeObject *object; /* borrowed from the table */
	uint64_t address;         /* 0: not known */
} CodeLoad;

/* Returns where everything was loaded in all epochs, each address once (element-type CodeLoad): the
   kernel, then modules by name, each followed by its sections. The caller frees it. */
GArray *code_objects_loads(const CodeObjects *objects);
