/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the kernel's memory through /proc/kcore: an ELF core file whose segments are the kernel's
 * address ranges. Only x86-64 is supported. The file needs CAP_SYS_RAWIO, and is refused by a
 * kernel that is locked down for confidentiality.
 */
typedef struct KernelMemory KernelMemory;

/* Opens it below root ("": this host's). Returns NULL with error set, in words that follow a
   colon. */
KernelMemory *kernel_memory_open(const char *root, GError **error);
void kernel_memory_free(KernelMemory *memory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(KernelMemory, kernel_memory_free)

/* Reads that many bytes at a kernel address. Returns false if they are not readable. A hole in a
   segment reads as zeros. */
bool kernel_memory_read(const KernelMemory *memory, uint64_t address, void *bytes, size_t length);

/* Returns the address at which all physical memory is mapped (page_offset_base), and that of the
   struct page of physical page 0 (vmemmap_base). */
uint64_t kernel_memory_direct_map(const KernelMemory *memory);
uint64_t kernel_memory_page_structs(const KernelMemory *memory);

/* Returns the address of a function or variable of the kernel, from /proc/kallsyms below the same
   root, which it reads each time. 0: not found, or hidden (kptr_restrict). */
uint64_t kernel_memory_symbol(const KernelMemory *memory, const char *name);
