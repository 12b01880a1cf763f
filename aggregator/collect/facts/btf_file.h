/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct btf;

/* Returns the types of a BTF file, or of an ELF file with BTF; free them with btf__free(). Returns
   NULL if the file cannot be read or this build does not support BTF. Prints nothing on failure. */
struct btf *btf_file_parse(const char *path);
