/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view.h"

/*
 * ProcessSums adds up allocations per process and per interrupt context. A process differs from
 * another of the same pid by its start time and name.
 */
typedef struct ProcessSums ProcessSums;

/* The profile is borrowed. */
ProcessSums *process_sums_new(const Profile *profile);
void process_sums_free(ProcessSums *sums);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProcessSums, process_sums_free)

void process_sums_add(ProcessSums *sums, const ProfileCell *cell);

/* Orders processes of different names (ViewProcess) as qsort() wants it: most allocations first,
   then interrupts, then by name. */
int view_process_compare(const void *left, const void *right);

/* Returns the sums of all processes of a name, as comm_folded_length() cuts it, largest first
   (element-type ViewProcess); the caller unrefs them. */
GArray *process_sums_ranked(const ProcessSums *sums);
