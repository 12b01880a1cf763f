/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's ORC tables: where the frame of a function's caller is, for each place in the code
   of the kernel's image. Modules have tables of their own, which are not read. */
typedef struct OrcTables OrcTables;

/* Copies kernel memory. Returns false if it cannot be read. */
typedef bool (*OrcReader)(void *user_data, uint64_t address, void *to, size_t bytes);

/* Reads them; symbols: the text of /proc/kallsyms. Returns NULL, with *problem set to why that is
   not possible. */
OrcTables *orc_tables_read(const char *symbols, size_t length, OrcReader read, void *user_data,
			   const char **problem);
void orc_tables_free(OrcTables *orc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OrcTables, orc_tables_free)

/* Returns the rule of bpf_walk.h for a return address, or for a place that was interrupted. */
uint64_t orc_tables_rule(const OrcTables *orc, uint64_t ip, bool is_interrupted);
