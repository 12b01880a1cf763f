/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_events.h"
#include "collect/points/usdt_notes.h"
#include "probes/probe_spec.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the path of the program or library that a probe names, or NULL with error set. The caller
 * frees it.
 *
 *   a path   itself, from the current folder
 *   libc     the C library that host->pid, or without it this program, has mapped; also if it was
 *            deleted, or is in another mount namespace
 *   a name   the program in PATH, else a file of this name that host->pid has mapped
 */
char *program_file_find(const PointHost *host, const ProbeSpec *spec, GError **error);

/*
 * The places in a program or library that a probe names, read from its file by a process without
 * rights (process/child.h): anybody may have written it.
 */

/* A place in the code. */
typedef struct {
	uint64_t address; /* as in the file's symbols */
	uint64_t bytes;   /* of the function; 0: unknown */
	uint64_t offset;  /* in the file */
	bool has_offset;  /* else the file has no code there */
	bool is_indirect; /* FunctionSymbol */
} ProgramPlace;

typedef struct {
	int file;         /* its place (trusted_file.h), owned */
	GArray *places;   /* (element-type ProgramPlace), owned: of the function or address */
	GPtrArray *names; /* (element-type utf8), owned: of all functions, unless one was found */
	GPtrArray *sites; /* (element-type UsdtSite), owned: of a USDT probe: all of the file */
} ProgramSymbols;

/* Reads the file of a path. All other paths lie below root. Returns NULL with error set, which
   begins with the path, if it cannot be read or is not an ELF program or library. */
ProgramSymbols *program_symbols_read(const char *path, const char *root, const ProbeSpec *spec,
				     GError **error);
void program_symbols_free(ProgramSymbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProgramSymbols, program_symbols_free)

/* Reads "0x1234", an address as symbols and disassemblies have it. */
bool program_symbols_address(const char *name, uint64_t *address);
