/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dimension of ages: the label of an age class.
 * dimension.c has it in its table.
 */
#include "table/dimension_kinds.h"

void age_label(const GroupNaming *naming, uint32_t age_class, GString *out)
{
	(void)naming;
	held_age_append(age_class, out);
}
