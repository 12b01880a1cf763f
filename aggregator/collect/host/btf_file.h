/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct btf;

/* Returns the types of a file of BTF, or of an ELF file with it, to be freed with btf__free();
   NULL, printing nothing: it cannot be read, or this build reads none. */
struct btf *btf_file_parse(const char *path);
