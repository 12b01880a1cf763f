/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/dimension.h"

/* The functions of the dimensions. dimension.c has the table. */

/* For tasks. */
void process_identify(const GroupNaming *naming, uint32_t task, GString *out);
void process_label(const GroupNaming *naming, uint32_t task, GString *out);
void pid_identify(const GroupNaming *naming, uint32_t task, GString *out);
void pid_label(const GroupNaming *naming, uint32_t task, GString *out);
void thread_identify(const GroupNaming *naming, uint32_t task, GString *out);
void thread_label(const GroupNaming *naming, uint32_t task, GString *out);
void cgroup_label(const GroupNaming *naming, uint32_t task, GString *out);
void host_label(const GroupNaming *naming, uint32_t task, GString *out);
void recording_identify(const GroupNaming *naming, uint32_t task, GString *out);
void recording_label(const GroupNaming *naming, uint32_t task, GString *out);

/* For origins. */
void cache_label(const GroupNaming *naming, uint32_t origin, GString *out);
void callsite_label(const GroupNaming *naming, uint32_t origin, GString *out);
void line_label(const GroupNaming *naming, uint32_t origin, GString *out);

/* For stack rows. */
void stack_identify(const GroupNaming *naming, uint32_t row, GString *out);
void stack_label(const GroupNaming *naming, uint32_t row, GString *out);
int stack_compare(const GroupNaming *naming, uint32_t a, uint32_t b);
void module_label(const GroupNaming *naming, uint32_t row, GString *out);

/* For hits of probe points: origins, then stack rows. */
void point_label(const GroupNaming *naming, uint32_t origin, GString *out);
void user_callsite_label(const GroupNaming *naming, uint32_t row, GString *out);
void user_line_label(const GroupNaming *naming, uint32_t row, GString *out);
void mapping_label(const GroupNaming *naming, uint32_t row, GString *out);

/* For freers. */
void freer_label(const GroupNaming *naming, uint32_t freer, GString *out);

/* For classes of ages. */
void age_label(const GroupNaming *naming, uint32_t age_class, GString *out);

/* For contexts. */
void context_label(const GroupNaming *naming, uint32_t context, GString *out);
