/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view.h"

/*
 * ProcessSums adds up allocations per process and per interrupt context. Processes with the same
 * pid are distinguished by start time and name.
 */
typedef struct ProcessSums ProcessSums;

/* The profile is borrowed. */
ProcessSums *process_sums_new(const Profile *profile);
void process_sums_free(ProcessSums *sums);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProcessSums, process_sums_free)

/* Adds the events of a cell to its process, or to its interrupt. */
void process_sums_add(ProcessSums *sums, const ProfileCell *cell);

/* Orders processes with different names (ViewProcess), for qsort(): most allocations first, then
   interrupts, then by name. */
int view_process_compare(const void *left, const void *right);

/* Returns the sums per process name, cut by comm_folded_length(), largest first (element-type
   ViewProcess); the caller unrefs them. */
GArray *process_sums_ranked(const ProcessSums *sums);
